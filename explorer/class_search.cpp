#include "explorer/class_search.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/switch.hpp"
#include "explorer/faults.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

ClassSearch::ClassSearch(Execution& execution, const SearchOptions& options, SearchMemory& memory)
    : execution_(execution),
      options_(options),
      assumptions_(memory.assumptions),
      findings_(memory.findings),
      races_(memory.races),
      listener_(memory.listener),
      budget_(memory.budget),
      keeper_(memory.keeper),
      sharer_(memory.sharer),
      labels_{.output_matters = options.output_matters},
      reversals_({.labels = labels_, .only_past = options.reduction == Reduction::Source}),
      all_reversals_({.labels = labels_, .only_past = false}) {
    if (options_.wanted) {
        wanted_.emplace(*options_.wanted, options_.judge);
    }
}

bool ClassSearch::done() {
    stopped_ = stopped_ || has_enough_ || budget_.is_spent();
    return stopped_ || assumptions_.contradicted();
}

void ClassSearch::begin() {
    execution_.restart();
    auto root = std::make_shared<Node>();
    root->place = execution_.here();
    auto monitors = std::make_shared<Monitors>();
    if (options_.footprints != FootprintSource::Locks) {
        monitors->without_locks.emplace();
    }
    root->monitors = std::move(monitors);
    path_.push_back(std::move(root));
}

void ClassSearch::run() {
    if (options_.bound) {
        run_on_record();
    } else if (!is_nothing_left_) {
        if (path_.empty()) {
            begin();
        }
        explore_from_here();
    }
}

void ClassSearch::explore_from_here() {
    while (!done()) {
        while (!done() && extend()) {
        }
        if (keeper_ != nullptr && !done() && keeper_->is_due()) {
            keeper_->keep(state());
        }
        if (sharer_ != nullptr) {
            give_parts();
        }
        if (assumptions_.contradicted() || stopped_ || !back_up()) {
            return;
        }
    }
}

bool ClassSearch::back_up() {
    // The ends of the path have been seen: what is left to do is in the trees of the places on it.
    while (path_.size() <= own_from_ || path_.back()->todo.empty()) {
        if (path_.size() <= own_from_ + 1) {
            return false;  // what is left belongs to others
        }
        path_.pop_back();
        if (!path_.empty() && path_.back()->event) {
            Node& node = *path_.back();
            steps_of_thread_[node.event->thread.index()] -= 1;
            if (!fault(Fault::NeverSleep) && !sleeps(node, {node.event->thread, node.event->variant})) {
                node.sleep.push_back(move_of(*node.event));
            }
            forget_plain_section(*node.event);
            node.event.reset();
            node.explored += 1;
        }
    }
    analysed_ = std::min(analysed_, path_.size() - 1);
    execution_.revisit(path_.back()->place);
    return true;
}

Label ClassSearch::label(ThreadId thread, const Operation& operation, Variant variant) const {
    return event_label(execution_.model(), thread, operation, variant, labels_);
}

Move ClassSearch::move_to(Choice choice) const {
    const Operation& operation = execution_.parked_thread(choice.thread).operation;
    Move move{choice.thread, choice.variant, label(choice.thread, operation, choice.variant)};
    if (SyncModel(execution_.model()).apply(choice.thread, operation, choice.variant).misuse) {
        move.label.add_world();
    }
    return move;
}

bool ClassSearch::sleeps(const Node& node, Choice choice) {
    return std::any_of(node.sleep.begin(), node.sleep.end(),
                       [&](const Move& move) { return move.is(choice.thread, choice.variant); });
}

bool ClassSearch::is_held_back(const Node& node, ThreadId thread) {
    if (node.fairness.is_idle()) {
        return false;
    }
    return node.fairness.holds_back(thread, [&](ThreadId other) {
        const auto parked = execution_.parked();
        const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
            return candidate.thread == other;
        });
        return entry != parked.end() && other != thread &&
               (execution_.model().enabled(other, entry->operation) ||
                execution_.model().can_time_out(other, entry->operation));
    });
}

ClassSearch::Offers ClassSearch::offers() {
    const Node& node = *path_.back();
    Offers offers;
    for (const ParkedThread& parked : execution_.parked()) {
        execution_.model().options(parked.thread, parked.operation, variants_);
        if (variants_.empty()) {
            continue;
        }
        const std::size_t index = parked.thread.index();
        if (index < steps_of_thread_.size() && steps_of_thread_[index] >= options_.thread_step_limit) {
            offers.anybody_at_limit = true;
            continue;
        }
        offers.anybody_enabled = true;
        if (is_held_back(node, parked.thread)) {
            offers.somebody_held_back = true;
            used_fairness_ = true;
            continue;
        }
        for (const Variant variant : variants_) {
            offers.moves.push_back({parked.thread, variant});
        }
    }
    return offers;
}

bool ClassSearch::is_possible(Choice choice) {
    const auto parked = execution_.parked();
    const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
        return candidate.thread == choice.thread;
    });
    if (entry == parked.end() || is_held_back(*path_.back(), choice.thread)) {
        return false;
    }
    execution_.model().options(choice.thread, entry->operation, variants_);
    if (std::find(variants_.begin(), variants_.end(), choice.variant) != variants_.end()) {
        return true;
    }
    return choice.variant.kind == Variant::Kind::Timeout &&
           execution_.model().can_time_out(choice.thread, entry->operation);
}

std::optional<Choice> ClassSearch::choose_freely(const Offers& offers) const {
    const Node& node = *path_.back();
    std::optional<Choice> first;
    for (const Choice choice : offers.moves) {
        if (sleeps(node, choice)) {
            continue;
        }
        if (choice.thread == node.last) {
            return choice;
        }
        first = first ? first : std::optional{choice};
    }
    return first;
}

std::optional<WakeupTree::Branch> ClassSearch::next_branch() {
    Node& node = *path_.back();
    while (!node.todo.empty()) {
        WakeupTree::Branch branch = node.todo.take();
        const Choice choice{branch.move.thread, branch.move.variant};
        const bool is_own = path_.size() > own_from_;
        if (sleeps(node, choice)) {
            if (!is_own) {
                tell({ClassNews::Kind::Impossible, path_.size() - 1, {}});
                return std::nullopt;  // the others are not for us
            }
            continue;
        }
        if (is_possible(choice)) {
            return branch;
        }
        if (!is_own) {
            tell_impossible();
            return std::nullopt;
        }
        // The reversal took something for possible that only the execution can tell (a system call), or that
        // fairness does not allow. What was left out because of it must not be lost.
        for (const Choice other : offers().moves) {
            if (!sleeps(node, other)) {
                node.todo.insert_alone(move_to(other));
            }
        }
    }
    return std::nullopt;
}

bool ClassSearch::extend() {
    if (std::optional<WakeupTree::Branch> branch = next_branch()) {
        return step(std::move(*branch));
    }
    Node& node = *path_.back();
    if (!node.is_fresh) {
        return false;  // everything that was asked for has been explored
    }
    const Offers offered = offers();
    if (const std::optional<Choice> choice = choose_freely(offered)) {
        if (offered.somebody_held_back) {
            // Fairness is no property of classes: here everybody who may go first does.
            for (const Choice other : offered.moves) {
                if (!sleeps(node, other) && !(other == *choice)) {
                    node.todo.insert_alone(move_to(other));
                }
            }
        }
        return step({{choice->thread, choice->variant, {}}, {}});
    }
    finish_stuck(offered);
    return !node.todo.empty();
}

bool ClassSearch::fire_timeouts() {
    Node& node = *path_.back();
    bool fired = false;
    for (const ParkedThread& parked : execution_.parked()) {
        if (execution_.model().can_time_out(parked.thread, parked.operation)) {
            node.todo.insert_alone(move_to({parked.thread, Variant::timeout()}));
            fired = true;
        }
    }
    return fired;
}

void ClassSearch::finish_stuck(const Offers& offers) {
    path_.back()->is_fresh = false;
    const bool lazy = !execution_.model().model_options().explore_timeouts;
    const bool everybody_waits = offers.moves.empty();
    if (everybody_waits && lazy && !offers.anybody_at_limit && fire_timeouts()) {
        return;
    }
    note_pending(execution_, ThreadId{}, pending_);
    if (offers.anybody_enabled) {
        finish(PathEnd::Redundant);
    } else if (offers.anybody_at_limit) {
        finish(PathEnd::Truncated);
    } else {
        if (options_.find_deadlocks) {
            note(finding_of_stuck(execution_, steps()));
        }
        finish(PathEnd::Deadlocked);
    }
}

void ClassSearch::offer_variants(ThreadId thread, const Operation& operation, Variant taken) {
    if (fault(Fault::ForgetVariants) || record_) {
        return;
    }
    execution_.model().options(thread, operation, variants_);
    if (variants_.size() < 2 || std::find(variants_.begin(), variants_.end(), taken) == variants_.end()) {
        return;
    }
    for (const Variant other : std::vector<Variant>(variants_)) {
        if (other != taken) {
            insert(path_.size() - 1, {move_to({thread, other})});
        }
    }
}

bool ClassSearch::is_parked_where_it_was(ThreadId thread) const {
    // A signal that is delivered parks a thread somewhere else without a step of its own.
    const auto before =
        std::find_if(pending_.begin(), pending_.end(),
                     [&](const PendingOperation& operation) { return operation.thread == thread; });
    const auto parked = execution_.parked();
    const auto now = std::find_if(parked.begin(), parked.end(),
                                  [&](const ParkedThread& candidate) { return candidate.thread == thread; });
    return before == pending_.end() || now == parked.end() ||
           (before->operation.kind == now->operation.kind &&
            before->operation.object == now->operation.object &&
            before->operation.site == now->operation.site &&
            before->operation.thread == now->operation.thread);
}

bool ClassSearch::step(WakeupTree::Branch branch) {
    const ThreadId thread = branch.move.thread;
    const Variant variant = branch.move.variant;
    const Operation operation = execution_.parked_thread(thread).operation;
    if (!replays_) {
        offer_variants(thread, operation, variant);
    }
    note_pending(execution_, thread, pending_);
    Event event = event_before(execution_.model(), thread, operation, variant, labels_);
    event.preempting = Turns(path_.back()->last, path_.back()->last_made).switch_to(execution_, thread) ==
                       SwitchKind::Preemption;

    const StepResult result = execution_.step(thread, variant);
    if (!replays_) {
        counts_.steps += 1;
        budget_.spend_steps(1);
    }
    made(event, result);
    if (options_.footprints != FootprintSource::Locks) {
        add_accesses(event, result);
        look_for_plain_section(event);
    }
    count_step(thread);

    Node& node = *path_.back();
    node.is_fresh = false;
    auto next = std::make_shared<Node>();
    next->todo = std::move(branch.rest);
    next->last = thread;
    next->last_made = result.operation.kind;
    next->monitors = node.monitors;
    for (const Move& move : node.sleep) {
        const bool stays = move.thread != thread && !move.label.depends_on(event.label) &&
                           is_parked_where_it_was(move.thread);
        if (stays || (fault(Fault::SleepForever) && move.thread != thread)) {
            next->sleep.push_back(move);
        }
    }
    next->fairness = node.fairness;
    node.event = std::make_shared<Event>(std::move(event));
    if (!replays_ && path_.size() == own_from_) {
        tell({ClassNews::Kind::Began, path_.size() - 1, {move_of(*node.event)}, node.event->operation.kind});
    }
    if (result.end) {
        next->todo.clear();  // nothing comes after the end
        path_.push_back(std::move(next));
        watch(result);
        if (assumptions_.contradicted()) {
            return false;
        }
        const std::vector<StepRecord> all = steps();
        if (std::optional<Finding> finding = finding_of_end(*result.end, all, execution_, options_.judge)) {
            if (wanted_ && wanted_->is(*finding)) {
                found_ = found_ ? found_ : finding;
                stopped_ = true;
            }
            note(std::move(*finding));
        }
        finish(PathEnd::Complete, &*result.end);
        return false;
    }
    next->place = execution_.here();
    next->fairness.ran(thread, spin_of(result), execution_, {options_.spin_patience});
    path_.push_back(std::move(next));
    watch(result);
    if (assumptions_.contradicted()) {
        return false;
    }
    look_for_cycles(thread, result);
    if (std::optional<Finding> finding = wanted_ ? wanted_->in_state(execution_) : std::nullopt) {
        const std::vector<StepRecord> all = steps();
        finding->schedule = to_schedule(all);
        finding->preemptions = count_preemptions(all);
        found_ = found_ ? found_ : finding;
        stopped_ = true;
    }
    const Fairness& fairness = path_.back()->fairness;
    if (fairness.is_livelock() || fairness.spins(thread) > options_.spin_limit) {
        const bool is_livelock = fairness.is_livelock();
        if (is_livelock) {
            note(finding_of_livelock(steps()));
        }
        path_.back()->todo.clear();
        path_.back()->is_fresh = false;
        note_pending(execution_, ThreadId{}, pending_);
        finish(is_livelock ? PathEnd::Livelocked : PathEnd::Truncated);
        return false;
    }
    return true;
}

void ClassSearch::look_for_plain_section(Event& event) {
    // Who tries to take a lock sees whether a section is going on: it is not one thing then.
    const Operation& operation = event.operation;
    const OpTraits& row = traits(operation.kind);
    const bool tests = row.object_class != ObjectClass::None && (row.tests_holders || operation.timed);
    if (tests && !assumptions_.tested(operation.object)) {
        assumptions_.see_test(operation.object);
        assumptions_.see_refinement();  // sections seen before may have been taken for plain
    }
    Event* own = last_event_of(event.thread);
    if (own != nullptr && !assumptions_.tested(operation.object) &&
        is_plain_section(*own, event, execution_.model())) {
        make_plain_section(*own, event);
    }
}

void ClassSearch::forget_plain_section(const Event& event) {
    // What comes after the lock next time may be something else (a signal that is handled inside).
    if (!event.ends_plain_section) {
        return;
    }
    for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
        if ((*node)->event && (*node)->event->thread == event.thread && (*node)->event.get() != &event) {
            unmake_plain_section(*(*node)->event);
            return;
        }
    }
}

Event* ClassSearch::last_event_of(ThreadId thread) {
    const auto node = std::find_if(path_.rbegin(), path_.rend(), [&](const ClassNodePtr& candidate) {
        return candidate->event && candidate->event->thread == thread;
    });
    return node == path_.rend() ? nullptr : (*node)->event.get();
}

void ClassSearch::reverse_races() {
    std::vector<const Event*> events;
    for (const ClassNodePtr& node : path_) {
        if (node->event) {
            events.push_back(node->event.get());
        }
    }
    if (record_) {
        reversals_on_path_ = all_reversals_.of(events, 0, pending_, execution_.model());
        return;
    }
    const std::size_t seen = options_.reduction == Reduction::Source ? analysed_ : 0;
    for (const Reversal& reversal : reversals_.of(events, seen, pending_, execution_.model())) {
        insert(reversal.at, reversal.sequence);
    }
    analysed_ = events.size();
}

void ClassSearch::insert(std::size_t at, const std::vector<Move>& sequence) {
    if (at < own_from_) {
        tell_reversal(at, sequence);
        return;
    }
    Node& node = *path_[at];
    insert_reversal(sequence, node.sleep, options_.reduction, node.todo);
}

}  // namespace coopcheck
