#include "explorer/exit_block.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/switch.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

bool contains(const std::vector<ThreadId>& threads, ThreadId thread) {
    return std::binary_search(threads.begin(), threads.end(), thread);
}

void insert(std::vector<ThreadId>& threads, ThreadId thread) {
    const auto position = std::lower_bound(threads.begin(), threads.end(), thread);
    if (position == threads.end() || *position != thread) {
        threads.insert(position, thread);
    }
}

/// A thread that waited for a condition now waits for its mutex: a cycle can close that the thread which made
/// the step is no part of.
bool makes_others_want_a_mutex(const StepRecord& step) {
    return step.operation.kind == OpKind::CondSignal || step.operation.kind == OpKind::CondBroadcast ||
           step.operation.kind == OpKind::ThreadCancel;
}

bool conflict(const Footprint& left, const Footprint& right) {
    if (fault(Fault::OnlyWritesConflict)) {
        return std::any_of(left.entries().begin(), left.entries().end(), [&](const Footprint::Entry& entry) {
            return entry.write &&
                   std::find(right.entries().begin(), right.entries().end(), entry) != right.entries().end();
        });
    }
    return left.conflicts_with(right);
}

}  // namespace

ExitBlockSearch::ExitBlockSearch(Execution& execution, const SearchOptions& options, SearchMemory& memory)
    : execution_(execution),
      options_(options),
      assumptions_(memory.assumptions),
      findings_(memory.findings),
      predicted_(memory.predicted),
      races_(memory.races),
      listener_(memory.listener),
      keeper_(memory.keeper),
      sharer_(memory.sharer),
      budget_(memory.budget),
      rules_(options_, model_options_, assumptions_),
      runner_(execution_, rules_, options_, *this) {
    if (options_.wanted) {
        wanted_.emplace(*options_.wanted, options_.judge);
    }
}

Node ExitBlockSearch::root() {
    execution_.restart();
    model_options_ = execution_.model().model_options();
    Node node;
    start_ = execution_.here();
    node.place = start_;
    node.monitors = std::make_shared<const Monitors>();
    node.enabled = {main_thread};
    return node;
}

void ExitBlockSearch::run() {
    if (!resumed_) {
        stack_.push_back({.node = root()});
    }
    for (;;) {
        const std::size_t before =
            std::accumulate(paths_at_bound_.begin(), paths_at_bound_.end(), std::size_t{0});
        explore_stack();
        paths_at_bound_.push_back(counts_.paths() - before);
        if (stopped_ || assumptions_.contradicted()) {
            return;
        }
        if (is_bounded()) {
            finished_bound_ = bound_;
        }
        if (!is_bounded() || deferred_.empty() || bound_ == *options_.bound) {
            return;
        }
        bound_ += 1;
        stack_ = std::exchange(deferred_, {});
        std::reverse(stack_.begin(), stack_.end());
    }
}

bool ExitBlockSearch::done() {
    stopped_ = stopped_ || has_enough_ || budget_.is_spent();
    return stopped_ || assumptions_.contradicted();
}

void ExitBlockSearch::explore_stack() {
    while (!stack_.empty() && !done()) {
        Branch branch = std::move(stack_.back());
        stack_.pop_back();
        if (is_beyond_bound(branch)) {
            deferred_.push_back(
                std::move(branch));  // without going there: that is most of what a bound leaves over
            continue;
        }
        go_to(branch);
        descend(std::move(branch));
        if (keeper_ != nullptr && keeper_->is_due() && !assumptions_.contradicted()) {
            keeper_->keep(state());
        }
        if (sharer_ != nullptr && !stack_.empty() && !done() && sharer_->wants_part()) {
            give_part();
        }
    }
}

bool ExitBlockSearch::is_beyond_bound(const Branch& branch) const {
    const Node& node = branch.node;
    // Who is held back can be told only there.
    const bool nobody_spun = node.saved ? node.saved->nobody_spun : node.fairness.is_idle();
    if (!is_bounded() || !nobody_spun || (!branch.current && node.enabled.empty())) {
        return false;
    }
    ThreadId current;
    if (branch.current) {
        current = *branch.current;
    } else {
        current = contains(node.enabled, node.last) ? node.last : node.enabled.front();
    }
    return node.preemptions + (preempts(node, current) ? 1 : 0) > bound_;
}

std::optional<ThreadId> ExitBlockSearch::choose(const Node& node) {
    if (node.is_begin && !is_bounded()) {
        return node.enabled.back();  // the thread just started; which one comes first is free
    }
    const auto is_free = [&](ThreadId thread) { return !is_held_back(node, thread); };
    if (contains(node.enabled, node.last) && is_free(node.last)) {
        return node.last;
    }
    const auto first = std::find_if(node.enabled.begin(), node.enabled.end(), is_free);
    used_fairness_ = used_fairness_ || first != node.enabled.begin();
    return first == node.enabled.end() ? std::nullopt : std::optional{*first};
}

bool ExitBlockSearch::is_held_back(const Node& node, ThreadId thread) const {
    return node.fairness.holds_back(thread, [&](ThreadId other) {
        const auto parked = execution_.parked();
        const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
            return candidate.thread == other;
        });
        if (entry == parked.end() || other == thread) {
            return false;
        }
        const bool is_delayed = std::any_of(node.delayed.begin(), node.delayed.end(),
                                            [&](const Delayed& delayed) { return delayed.thread == other; });
        const SyncModel& model = execution_.model();
        return ((contains(node.enabled, other) || is_delayed) && model.enabled(other, entry->operation)) ||
               model.can_time_out(other, entry->operation);
    });
}

bool ExitBlockSearch::preempts(const Node& node, ThreadId thread) const {
    if (fault(Fault::PreemptionIsFree)) {
        return false;
    }
    if (fault(Fault::FreeSwitchCosts)) {
        return thread != node.last && node.last.valid();
    }
    return switch_kind(node.last, node.last_can_go_on, thread) == SwitchKind::Preemption;
}

void ExitBlockSearch::descend(Branch branch) {
    Node node = branch.node;
    bool repeated = branch.current.has_value();
    bool progressed = branch.progressed;
    while (!done()) {
        if (!repeated && node.enabled.empty()) {
            finish_path(node, progressed);
            return;
        }
        const std::optional<ThreadId> chosen = repeated ? branch.current : choose(node);
        if (!chosen) {
            finish_unfair_path(node, progressed);
            return;
        }
        const ThreadId current = *chosen;
        const bool preempted = preempts(node, current);
        if (is_bounded() && node.preemptions + (preempted ? 1 : 0) > bound_) {
            branch.node = std::move(node);
            deferred_.push_back(std::move(branch));
            return;
        }
        trail_ = node.trail;
        block_preempts_ = preempted;
        BlockResult block =
            runner_.run(current, *node.monitors, repeated ? branch.taken : std::vector<Variant>{},
                        repeated ? branch.no_notify : std::set<Variant>{}, repeated && branch.fire_timeout);
        counts_.steps += block.steps.size();
        budget_.spend_steps(block.steps.size());
        if (assumptions_.contradicted()) {
            return;
        }
        if (!block.steps.empty()) {
            block.steps.front().preempting = preempted;
        }
        if (block.kind == BlockResult::Kind::Blocked) {
            give_up_block(node, current, block, repeated);
            if (repeated) {
                return;
            }
            continue;
        }
        const std::shared_ptr<Footprint> delay =
            repeated ? branch.footprint : delay_footprint(node, current, block);
        if (repeated && delay) {
            delay->add(block.footprint);
        }
        push_branches(node, current, block, repeated ? branch : Branch{}, delay);
        if (block.kind == BlockResult::Kind::RunEnded) {
            extend_run(node, current == node.last && node.last_can_go_on ? node.run : delay, block);
            finish_run(node, block);
            return;
        }
        node = advance(std::move(node), current, std::move(block), preempted, delay);
        if (node.fairness.is_livelock() || node.fairness.spins(current) > options_.spin_limit) {
            finish_spinning_path(node);
            return;
        }
        repeated = false;
        progressed = true;
    }
    // Stopped here: this is where to go on.
    if (repeated) {
        stack_.push_back(std::move(branch));
    } else {
        stack_.push_back({.node = std::move(node), .progressed = progressed});
    }
}

std::shared_ptr<Footprint> ExitBlockSearch::delay_footprint(const Node& node, ThreadId current,
                                                            const BlockResult& block) {
    const bool starts_run = current != node.last || !node.last_can_go_on;
    if (!is_bounded() || !starts_run) {
        return std::make_shared<Footprint>(block.footprint);
    }
    // Under a bound a thread that was switched to may be delayed only if its whole run up to where it blocks
    // can be moved: cutting the run in two would cost the equivalent schedule a preemption more. The
    // footprint is filled as the run goes on (advance); until then it holds the first block.
    auto run = std::make_shared<Footprint>(block.footprint);
    if (!block.choices.empty()) {
        run->add(Location::world(), true);
    }
    return run;
}

void ExitBlockSearch::push_branches(const Node& node, ThreadId current, const BlockResult& block,
                                    const Branch& branch, const std::shared_ptr<Footprint>& delay) {
    const bool is_repeat = branch.current.has_value();
    // The others first. Below the other variants of this block on the stack: those have to be done before, so
    // that the footprint by which the thread is delayed covers them all.
    if (!is_repeat && (block.matters || is_bounded())) {
        Node others = node;
        std::erase(others.enabled, current);
        if (fault(Fault::ForgetOldEnabled)) {
            for (const ParkedThread& parked : execution_.parked()) {
                if (parked.thread != current) {
                    insert(others.enabled, parked.thread);
                }
            }
        }
        if (!others.enabled.empty()) {
            if (!fault(Fault::ForgetDelayedInBranch)) {
                others.delayed.push_back({current, delay});
            }
            stack_.push_back({.node = std::move(others)});
        }
    }
    if (branch.fire_timeout) {
        return;
    }
    std::vector<Variant> taken;
    for (const ChoicePoint& point : block.choices) {
        if (point.more_left) {
            stack_.push_back({.node = node,
                              .current = current,
                              .taken = taken,
                              .no_notify = point.explored,
                              .footprint = delay});
        }
        taken.push_back(point.taken);
    }
}

void ExitBlockSearch::give_up_block(Node& node, ThreadId current, BlockResult& block, bool repeated) {
    counts_.abandoned += 1;
    if (listener_ != nullptr) {
        std::vector<StepRecord> steps = all_steps(node.trail);
        steps.insert(steps.end(), block.steps.begin(), block.steps.end());
        listener_->path({PathEnd::Abandoned, steps, nullptr, execution_});
    }
    analyse_failed_acquire(node, current, block);
    for (const ChoicePoint& point : block.choices) {
        if (point.more_left && !repeated) {
            push_branches(node, current, block, Branch{.node = node, .current = current},
                          std::make_shared<Footprint>());
            block.touched.add(Location::world(), true);  // other variants may have touched anything
            break;
        }
    }
    if (repeated) {
        return;
    }
    execution_.revisit(node.place);
    std::erase(node.enabled, current);
    node.blocked.push_back({current, block.steps.empty(), std::move(block.touched)});
}

Node ExitBlockSearch::advance(Node&& node, ThreadId current, BlockResult&& block, bool preempted,
                              const std::shared_ptr<Footprint>& delay) {
    Node next = std::move(node);
    const bool continues = current == next.last && next.last_can_go_on;
    const std::size_t known = next.enabled.size() + next.delayed.size() + next.blocked.size();
    next.place = execution_.here();
    next.trail = std::make_shared<const Trail>(next.trail, current, std::move(block.steps));
    next.preemptions += preempted ? 1 : 0;
    next.forced_switches += current != next.last && next.last_held_back ? 1 : 0;
    next.last = current;
    if (block.thread_ended || block.at_limit) {
        std::erase(next.enabled, current);
    }
    add_started_threads(next);
    next.is_begin = !next.begun && known == 1 && next.enabled.size() == 2 && !block.thread_ended;
    next.begun = next.begun || next.enabled.size() > 1;

    const bool current_lives = !block.thread_ended && !block.at_limit;
    const bool current_can_go_on =
        current_lives && execution_.model().enabled(current, execution_.parked_thread(current).operation);
    if (is_bounded() && current_lives && !current_can_go_on && !fault(Fault::IgnoreBlockedInBounds)) {
        // Where the thread blocks is part of what it did: whoever unblocks it changes what a switch costs.
        execution_.model().footprint(current, execution_.parked_thread(current).operation, Variant::normal(),
                                     true, block.footprint);
    }
    next.fairness.ran(current, block.spin, execution_, {options_.spin_patience});
    extend_run(next, continues ? next.run : delay, block);
    wake_up(next, block);
    set_apart_disabled(next);
    // A block that met the thread's limit on steps at once is empty.
    const std::vector<StepRecord>& steps = next.trail->steps;
    const OpKind last_made = steps.empty() ? OpKind::ThreadStart : steps.back().operation.kind;
    const bool wants = !block.thread_ended && wants_to_go_on(execution_, current, last_made);
    next.last_held_back = wants && (block.at_limit || is_held_back(next, current));
    next.last_can_go_on = wants && !next.last_held_back;
    next.monitors = std::make_shared<const Monitors>(std::move(block.monitors));
    if (current_lives && !current_can_go_on) {
        look_for_cycle(next, current);
    }
    if (std::any_of(next.trail->steps.begin(), next.trail->steps.end(), makes_others_want_a_mutex)) {
        for (const ParkedThread& parked : execution_.parked()) {
            look_for_cycle(next, parked.thread);
        }
    }
    look_for_wanted(next);
    return next;
}

void ExitBlockSearch::extend_run(Node& node, const std::shared_ptr<Footprint>& run,
                                 const BlockResult& block) const {
    if (!is_bounded() || !run || fault(Fault::DelayAtFreeSwitch)) {
        return;
    }
    node.run = run;
    run->add(block.footprint);
    if (!block.choices.empty()) {
        run->add(Location::world(), true);  // with another variant the run may touch anything
    }
}

void ExitBlockSearch::add_started_threads(Node& next) const {
    const auto known = [&](ThreadId thread) {
        return contains(next.enabled, thread) ||
               std::any_of(next.delayed.begin(), next.delayed.end(),
                           [&](const Delayed& delayed) { return delayed.thread == thread; }) ||
               std::any_of(next.blocked.begin(), next.blocked.end(),
                           [&](const Blocked& blocked) { return blocked.thread == thread; });
    };
    for (const ParkedThread& parked : execution_.parked()) {
        const bool started = parked.operation.kind == OpKind::ThreadStart;
        if (started && !known(parked.thread)) {
            insert(next.enabled, parked.thread);
        }
    }
}

void ExitBlockSearch::wake_up(Node& next, const BlockResult& block) const {
    const SyncModel& model = execution_.model();
    std::erase_if(next.delayed, [&](const Delayed& delayed) {
        const bool wake = options_.pruning == Pruning::None ? block.matters || is_bounded()
                                                            : conflict(*delayed.footprint, block.footprint);
        if (wake && !fault(Fault::NeverReenableDelayed)) {
            insert(next.enabled, delayed.thread);
            return true;
        }
        return false;
    });
    std::erase_if(next.blocked, [&](const Blocked& blocked) {
        const bool wake = blocked.at_start ? model.enabled(blocked.thread,
                                                           execution_.parked_thread(blocked.thread).operation)
                                           : blocked.attempt.conflicts_with(block.touched);
        const bool forgotten = fault(Fault::ForgetBlocked) && !block.thread_ended;
        if (wake && !forgotten && !(fault(Fault::SkipDeath) && block.thread_ended)) {
            insert(next.enabled, blocked.thread);
            return true;
        }
        return false;
    });
}

void ExitBlockSearch::set_apart_disabled(Node& next) const {
    // A thread that waits (second half of an operation) goes to a wait set. One that fails to take a lock is
    // tried and abandoned as in figure 3, except where single operations are the blocks: there the outcome is
    // plain.
    const bool all = is_bounded() || options_.granularity == Granularity::Operations;
    std::erase_if(next.enabled, [&](ThreadId thread) {
        const Operation& operation = execution_.parked_thread(thread).operation;
        const bool waits = operation.kind == OpKind::CondResume || operation.kind == OpKind::BarrierResume ||
                           operation.kind == OpKind::FutexResume || operation.kind == OpKind::RwWriteResume;
        if ((waits || all) && !execution_.model().enabled(thread, operation)) {
            next.blocked.push_back({thread, true, {}});
            return true;
        }
        return false;
    });
}

}  // namespace coopcheck
