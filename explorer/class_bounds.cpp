// ClassSearch within a bound on preemptions.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/switch.hpp"
#include "explorer/class_search.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

namespace {

constexpr std::size_t effort_for_findings = 100'000;

EventCounts all_of(const std::vector<const Event*>& events, const EventOrder& order) {
    EventCounts all;
    for (std::size_t number = 0; number < events.size(); ++number) {
        join(all, order.times(number));
    }
    return all;
}

}  // namespace

void ClassSearch::run_bounds() {
    if (resumed_at_) {
        go_back_to(std::exchange(resumed_at_, nullptr));
    }
    if (!path_.empty() && !assumptions_.contradicted()) {
        explore_from_here();
    }
    take_up_kept();
    for (;;) {
        if (assumptions_.contradicted()) {
            return;
        }
        if (stopped_) {
            count_bound();
            if (!has_enough_) {
                add_held_findings(*options_.bound);
            }
            return;
        }
        std::erase_if(kept_, [](const ClassNodePtr& node) { return node->bounded->later.empty(); });
        count_bound();
        finished_bound_ = bound_;
        if (kept_.empty() || bound_ == *options_.bound) {
            add_held_findings(*options_.bound);
            return;
        }
        bound_ += 1;
        add_held_findings(bound_);
        take_up_kept();
    }
}

void ClassSearch::count_bound() {
    const std::size_t before =
        std::accumulate(paths_at_bound_.begin(), paths_at_bound_.end(), std::size_t{0});
    paths_at_bound_.push_back(paths_made() - before);
}

bool ClassSearch::has_work(const ClassNode& node) const {
    return !node.todo.empty() || node.is_fresh ||
           std::any_of(node.bounded->later.begin(), node.bounded->later.end(),
                       [&](const BoundedPlace::Later& later) { return later.preemptions <= bound_; });
}

void ClassSearch::take_up_kept() {
    kept_due_ = static_cast<std::size_t>(
        std::count_if(kept_.begin(), kept_.end(), [&](const ClassNodePtr& node) { return has_work(*node); }));
    kept_done_ = 0;
    // Who goes on from a place can keep others, at the end of the list.
    for (std::size_t number = 0; number < kept_.size() && !done(); ++number) {
        const ClassNodePtr node = kept_[number];
        if (!has_work(*node)) {
            continue;
        }
        for (const BoundedPlace::Later& later : node->bounded->later) {
            if (later.preemptions <= bound_) {
                node->todo.insert_alone(later.move);
            }
        }
        std::erase_if(node->bounded->later,
                      [&](const BoundedPlace::Later& later) { return later.preemptions <= bound_; });
        go_back_to(node);
        if (!assumptions_.contradicted()) {
            explore_from_here();
        }
        kept_done_ += 1;
    }
}

void ClassSearch::go_back_to(const ClassNodePtr& node) {
    path_.clear();
    steps_of_thread_.clear();
    std::vector<ClassNodePtr> way;
    for (ClassNodePtr on_way = node; on_way; on_way = on_way->bounded->before) {
        way.push_back(on_way);
    }
    std::reverse(way.begin(), way.end());
    // As far as the program has been there in this process.
    std::size_t known = 0;
    while (known < way.size() && way[known]->place) {
        if (known > 0) {
            const BoundedPlace& place = *way[known]->bounded;
            path_.back()->event = place.came_by;
            path_.back()->bounded->is_forced = place.came_forced;
            count_step(place.came_by->thread);
        }
        path_.push_back(way[known]);
        known += 1;
    }
    if (path_.empty()) {
        begin_at(way.front());
        known = 1;
    } else {
        execution_.revisit(path_.back()->place);
    }
    for (; known < way.size() && !assumptions_.contradicted(); ++known) {
        step_to(way[known]);
    }
    path_.back()->event.reset();
    analysed_ = 0;
}

void ClassSearch::step_to(const ClassNodePtr& node) {
    ClassPlace way;
    way.taken = node->bounded->saved_move;
    way.kind = node->bounded->saved_kind;
    const bool was_fresh = path_.back()->is_fresh;
    replays_ = true;
    step_again(way);
    replays_ = false;
    const ClassNodePtr before = path_[path_.size() - 2];
    before->is_fresh = was_fresh;
    before->bounded->is_forced = node->bounded->came_forced;
    const ClassNode& made = *path_.back();
    node->place = made.place;
    node->monitors = made.monitors;
    node->fairness = made.fairness;
    node->last = made.last;
    node->last_made = made.last_made;
    node->bounded->came_by = made.bounded->came_by;
    path_.back() = node;
    describe_place(*node);
}

void ClassSearch::describe_place(ClassNode& node) {
    for (const Choice choice : offers().moves) {
        node.bounded->offers.push_back(move_to(choice));
    }
    if (node.bounded->first) {
        node.bounded->first_operation = execution_.parked_thread(node.bounded->first->thread).operation;
    }
}

void ClassSearch::begin_at(const ClassNodePtr& root) {
    execution_.restart();
    root->place = execution_.here();
    root->monitors = std::make_shared<const Monitors>();
    path_.push_back(root);
    describe_place(*root);
}

void ClassSearch::resume_bounds(const SearchState& state) {
    finished_bound_ = state.finished_bound;
    begun_before_ = state.steps_begun;
    classes_on_record_.insert(state.classes_on_record.begin(), state.classes_on_record.end());
    if (state.is_on_record && !state.record) {
        made_before_ = state.counts.paths();
        return;
    }
    record_ = state.record;
    bound_ = state.bound;
    paths_at_bound_ = state.paths_at_bound;
    held_ = state.held;
    own_from_ = state.own_from;
    std::vector<ClassNodePtr> all;
    for (const SavedClassNode& saved : state.tree) {
        auto node = std::make_shared<ClassNode>();
        node->sleep = saved.sleep;
        node->todo = saved.todo;
        node->is_fresh = saved.is_fresh;
        node->explored = saved.explored;
        node->bounded = std::make_unique<BoundedPlace>();
        BoundedPlace& place = *node->bounded;
        if (saved.before) {
            place.before = all[*saved.before];
        }
        place.saved_move = saved.came_by;
        place.saved_kind = saved.kind;
        place.came_forced = saved.came_forced;
        place.first = saved.first;
        place.wishes = saved.wishes;
        place.settled_within = saved.settled_within;
        place.not_settled_within = saved.not_settled_within;
        place.later = saved.later;
        all.push_back(std::move(node));
    }
    for (const std::uint32_t index : state.kept) {
        all[index]->bounded->is_kept = true;
        kept_.push_back(all[index]);
    }
    resumed_at_ = state.at ? all[*state.at] : nullptr;
}

void ClassSearch::save_bounds(SearchState& state) const {
    state.is_on_record = record_ != nullptr || made_before_ > 0;
    state.classes_on_record.assign(classes_on_record_.begin(), classes_on_record_.end());
    if (state.is_on_record) {
        state.steps_begun = is_in_recorded_run_ && made_before_ == 0
                                ? std::max(begun_before_, path_.size() - 1)
                                : begun_before_;
        state.record = made_before_ == 0 ? record_ : nullptr;
        state.bound = bound_;
        state.finished_bound = finished_bound_;
        state.paths_at_bound = paths_at_bound_;
        if (!state.paths_at_bound.empty() && stopped_) {
            state.paths_at_bound.pop_back();  // of the bound that is not finished
        }
        return;
    }
    std::map<const ClassNode*, std::uint32_t> numbers;
    const auto save = [&](const ClassNodePtr& node) {
        std::vector<const ClassNode*> way;
        for (const ClassNode* on_way = node.get(); on_way != nullptr && !numbers.contains(on_way);
             on_way = on_way->bounded->before.get()) {
            way.push_back(on_way);
        }
        for (auto on_way = way.rbegin(); on_way != way.rend(); ++on_way) {
            numbers.emplace(*on_way, static_cast<std::uint32_t>(state.tree.size()));
            SavedClassNode saved = saved_place(**on_way);
            if ((*on_way)->bounded->before) {
                saved.before = numbers.at((*on_way)->bounded->before.get());
            }
            state.tree.push_back(std::move(saved));
        }
    };
    // Where something is left to do; what comes after that on the path is done.
    std::size_t last = path_.size();
    while (last > 0 && (path_[last - 1]->place == nullptr ||
                        (path_[last - 1]->todo.empty() && !path_[last - 1]->is_fresh))) {
        last -= 1;
    }
    if (last > 0) {
        save(path_[last - 1]);
        state.at = numbers.at(path_[last - 1].get());
    } else if (resumed_at_) {
        save(resumed_at_);
        state.at = numbers.at(resumed_at_.get());
    }
    for (const ClassNodePtr& node : kept_) {
        if (has_work(*node) || !node->bounded->later.empty()) {
            save(node);
            state.kept.push_back(numbers.at(node.get()));
        }
    }
    for (std::size_t number = last == 0 ? 0 : last - 1; number < path_.size(); ++number) {
        const auto saved = numbers.find(path_[number].get());
        if (saved == numbers.end() || !path_[number]->event) {
            continue;
        }
        SavedClassNode& node = state.tree[saved->second];
        node.explored += 1;
        const Move taken = move_of(*path_[number]->event);
        if (!sleeps(*path_[number], {taken.thread, taken.variant})) {
            node.sleep.push_back(taken);
        }
    }
    state.bound = bound_;
    state.finished_bound = finished_bound_;
    state.paths_at_bound = paths_at_bound_;
    if (!state.paths_at_bound.empty() && stopped_) {
        state.paths_at_bound.pop_back();  // of the bound that is not finished
    }
    state.held = held_;
}

void ClassSearch::count_step(ThreadId thread) {
    if (steps_of_thread_.size() <= thread.index()) {
        steps_of_thread_.resize(thread.index() + 1, 0);
    }
    steps_of_thread_[thread.index()] += 1;
}

void ClassSearch::ask_for_detours() {
    end_model_ = execution_.model();  // it is asked again when the program may be somewhere else
    detours_.look_at(path_, pending_, *end_model_);
    fewest_.look_at(detours_.events(), detours_.order(), pending_, *end_model_,
                    path_.back()->fairness.spinners({options_.spin_patience}));
    detours_.find(fewest_, bound_, [&](const Detour& detour) { take_detour(detour); });
}

void ClassSearch::take_detour(const Detour& detour) {
    const ClassNodePtr& node = path_[detour.at];
    if (detours_.is_covered(detour.at, detour.sequence)) {
        return;
    }
    std::vector<BoundedPlace::Later>& later = node->bounded->later;
    std::vector<std::uint32_t> key = detour.key();
    const auto known = find_covering(later, detour.sequence);
    if (known != later.end() && known->asked_by.contains(key)) {
        return;
    }
    const unsigned needed = detours_.fewest_of(detour, fewest_, bound_);
    ask_for({detour.sequence, needed, bound_}, node->todo, later);
    if (const auto put_off = find_covering(later, detour.sequence); put_off != later.end()) {
        put_off->asked_by.insert(std::move(key));
    }
    if (detour.at < own_from_) {
        tell({.kind = ClassNews::Kind::Detour,
              .at = detour.at,
              .moves = detour.sequence,
              .preemptions = needed});
    } else if (!later.empty() && !std::exchange(node->bounded->is_kept, true)) {
        kept_.push_back(node);
    }
}

void ClassSearch::look_for_waits_inside(const StepResult& step, ThreadId thread) {
    if (step.thread_ended) {
        return;
    }
    const bool is_left_for_free = offers_to_yield(step.operation.kind) || spin_of(step) ||
                                  can_wait(execution_.parked_thread(thread).operation.kind);
    if (is_left_for_free) {
        for (const ObjectId lock : execution_.model().held(thread)) {
            assumptions_.see_wait_with(lock);
        }
    }
}

void ClassSearch::note(Finding finding) {
    if (!options_.bound) {
        findings_.add(std::move(finding));
        return;
    }
    seen_.push_back(std::move(finding));
}

unsigned ClassSearch::fewest_preemptions() {
    const unsigned made = count_preemptions(steps());
    if (made <= bound_ || record_) {
        return made;
    }
    const FewestPreemptions::Answer answer =
        fewest_.of({.events = all_of(detours_.events(), detours_.order()),
                    .to_the_end = true,
                    .limit = made - 1,
                    .effort = effort_for_findings});
    return answer.preemptions && !answer.gave_up ? *answer.preemptions : made;
}

void ClassSearch::settle_findings() {
    const std::vector<ThreadId> spinners = path_.back()->fairness.spinners({options_.spin_patience});
    for (Finding& finding : std::exchange(seen_, {})) {
        if (finding.preemptions > 0 && !record_) {
            look_for_cheaper(finding);
        }
        // Leaving a thread that has to let others go first is free for the bound.
        if (finding.preemptions <= bound_ || !spinners.empty()) {
            findings_.add(std::move(finding));
        } else {
            held_.push_back(std::move(finding));
        }
    }
    has_enough_ = has_enough_ || findings_.size() >= options_.max_findings;
}

void ClassSearch::look_for_cheaper(Finding& finding) {
    // Of a cycle of waiting threads only those count who are in it, and what they needed to get there.
    const std::size_t steps = finding.schedule.size();
    EventCounts events;
    const EventOrder& order = detours_.order();
    for (std::size_t number = 0; number < steps && number < detours_.events().size(); ++number) {
        const ThreadId thread = detours_.events()[number]->thread;
        const bool counts =
            !finding.is_cycle || std::any_of(finding.waits.begin(), finding.waits.end(),
                                             [&](const Wait& wait) { return wait.thread == thread; });
        if (counts) {
            join(events, order.times(number));
        }
    }
    const FewestPreemptions::Answer answer = fewest_.of(
        {.events = events, .to_the_end = true, .limit = finding.preemptions, .effort = effort_for_findings});
    if (!answer.preemptions || answer.gave_up) {
        return;
    }
    // What is equivalent as far as we know is only reported when it was seen.
    Wanted wanted(finding, options_.judge);
    std::vector<StepRecord> made;
    Turns turns;
    execution_.revisit(path_.front()->place);
    for (const std::size_t number : fewest_.order()) {
        const Event& event = *detours_.events()[number];
        const auto parked = execution_.parked();
        const bool is_there = std::any_of(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
            return candidate.thread == event.thread && candidate.operation.kind == event.operation.kind;
        });
        if (!is_there) {
            return;
        }
        const bool preempts = turns.switch_to(execution_, event.thread) == SwitchKind::Preemption;
        const StepResult result = execution_.step(event.thread, event.variant);
        made.push_back({event.thread, result.operation, event.variant, preempts});
        turns.made_step(event.thread, result.operation.kind);
        if (result.end) {
            std::optional<Finding> seen = finding_of_end(*result.end, made, execution_, options_.judge);
            if (seen && wanted.is(*seen) && seen->preemptions < finding.preemptions) {
                finding = std::move(*seen);
            }
            return;
        }
    }
    if (wanted.in_state(execution_) && count_preemptions(made) <= finding.preemptions) {
        finding.schedule = to_schedule(made);
        finding.preemptions = count_preemptions(made);
    }
}

void ClassSearch::add_held_findings(unsigned most) {
    for (Finding& finding : std::exchange(held_, {})) {
        if (finding.preemptions <= most) {
            findings_.add(std::move(finding));
        } else {
            held_.push_back(std::move(finding));
        }
    }
    has_enough_ = has_enough_ || findings_.size() >= options_.max_findings;
}

}  // namespace coopcheck
