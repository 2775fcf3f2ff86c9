// ClassSearch within a bound on preemptions.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/switch.hpp"
#include "explorer/class_search.hpp"
#include "explorer/faults.hpp"
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
    explore_from_here();
    for (;;) {
        const std::size_t before =
            std::accumulate(paths_at_bound_.begin(), paths_at_bound_.end(), std::size_t{0});
        paths_at_bound_.push_back(counts_.paths() - before);
        if (assumptions_.contradicted()) {
            return;
        }
        std::erase_if(kept_, [](const ClassNodePtr& node) { return node->bounded->later.empty(); });
        if (!stopped_) {
            finished_bound_ = bound_;
        }
        if (stopped_ || kept_.empty() || bound_ == *options_.bound) {
            add_held_findings(std::numeric_limits<unsigned>::max());
            return;
        }
        bound_ += 1;
        add_held_findings(bound_);
        take_up_kept();
    }
}

void ClassSearch::take_up_kept() {
    // Who goes on from a place can keep others, at the end of the list.
    for (std::size_t number = 0; number < kept_.size() && !done(); ++number) {
        const ClassNodePtr node = kept_[number];
        BoundedPlace& place = *node->bounded;
        const auto is_due = [&](const BoundedPlace::Later& later) { return later.preemptions <= bound_; };
        if (std::none_of(place.later.begin(), place.later.end(), is_due)) {
            continue;
        }
        for (const BoundedPlace::Later& later : place.later) {
            if (is_due(later)) {
                node->todo.insert_alone(later.move);
            }
        }
        std::erase_if(place.later, is_due);
        go_back_to(node);
        explore_from_here();
    }
}

void ClassSearch::go_back_to(const ClassNodePtr& node) {
    path_.clear();
    steps_of_thread_.clear();
    for (ClassNodePtr on_way = node; on_way; on_way = on_way->bounded->before) {
        path_.push_back(on_way);
    }
    std::reverse(path_.begin(), path_.end());
    for (std::size_t number = 0; number + 1 < path_.size(); ++number) {
        const BoundedPlace& next = *path_[number + 1]->bounded;
        path_[number]->event = next.came_by;
        path_[number]->bounded->is_forced = next.came_forced;
        const std::size_t thread = next.came_by->thread.index();
        if (steps_of_thread_.size() <= thread) {
            steps_of_thread_.resize(thread + 1, 0);
        }
        steps_of_thread_[thread] += 1;
    }
    node->event.reset();
    execution_.revisit(node->place);
}

void ClassSearch::ask_for_detours() {
    detours_.look_at(path_, pending_, execution_.model());
    fewest_.look_at(detours_.events(), detours_.order(), pending_, execution_.model(),
                    path_.back()->fairness.spinners({options_.spin_patience}));
    detours_.find(fewest_, bound_, [&](const Detour& detour) { take_detour(detour); });
}

void ClassSearch::take_detour(const Detour& detour) {
    const ClassNodePtr& node = path_[detour.at];
    const auto covers = [&](const Move& move) { return is_initial(move, detour.sequence); };
    const auto& branches = node->todo.branches();
    if (std::any_of(node->sleep.begin(), node->sleep.end(), covers) ||
        std::any_of(branches.begin(), branches.end(),
                    [&](const WakeupTree::Branch& branch) { return covers(branch.move); })) {
        return;
    }
    std::vector<BoundedPlace::Later>& later = node->bounded->later;
    const auto known = std::find_if(later.begin(), later.end(),
                                    [&](const BoundedPlace::Later& entry) { return covers(entry.move); });
    // How many more than that need not be known yet.
    constexpr unsigned ahead = 2;
    const unsigned most = std::min(*options_.bound, bound_ + ahead);
    const unsigned limit = known != later.end() ? std::min(known->preemptions - 1, most) : most;
    const std::optional<unsigned> fewest = detours_.fewest_of(detour, fewest_, bound_, limit);
    if (known != later.end() && (!fewest || *fewest >= known->preemptions)) {
        return;
    }
    const unsigned needed = fewest.value_or(most + 1);
    const Move move = known != later.end() ? known->move : detour.sequence.front();
    if (known != later.end()) {
        later.erase(known);
    }
    if (needed <= bound_) {
        node->todo.insert_alone(move);
        return;
    }
    later.push_back({move, needed});
    if (!std::exchange(node->bounded->is_kept, true)) {
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
    if (made <= bound_) {
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
    for (Finding& finding : std::exchange(seen_, {})) {
        if (finding.preemptions > 0) {
            look_for_cheaper(finding);
        }
        if (finding.preemptions <= bound_) {
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
