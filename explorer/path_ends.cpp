// The ends of paths of ExitBlockSearch: complete runs, deadlocks, what is reported and counted.
#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/switch.hpp"
#include "explorer/confirm.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/exit_block.hpp"
#include "explorer/faults.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

namespace {

std::vector<StepRecord> steps_with_block(const TrailPtr& trail, const std::vector<StepRecord>& block) {
    std::vector<StepRecord> steps = all_steps(trail);
    steps.insert(steps.end(), block.begin(), block.end());
    return steps;
}

/// Whose turn it was at the end of the trail.
Turns turns_after(const TrailPtr& trail) {
    const Trail* link = trail.get();
    while (link != nullptr && link->steps.empty()) {
        link = link->parent.get();
    }
    return link == nullptr ? Turns{} : Turns{link->steps.back().thread, link->steps.back().operation.kind};
}

}  // namespace

void ExitBlockSearch::count_path(PathEnd end, const std::vector<StepRecord>& steps, const RunEnd* run_end) {
    switch (end) {
        case PathEnd::Complete:
            counts_.complete += 1;
            break;
        case PathEnd::Deadlocked:
            counts_.deadlocked += 1;
            break;
        case PathEnd::Livelocked:
            counts_.livelocked += 1;
            break;
        case PathEnd::Redundant:
            counts_.redundant += 1;
            break;
        case PathEnd::Truncated:
            counts_.truncated += 1;
            break;
        case PathEnd::Abandoned:
            counts_.abandoned += 1;
            break;
    }
    if (listener_ != nullptr) {
        listener_->path({end, steps, run_end, execution_});
    }
    budget_.spend_schedule();
    has_enough_ = has_enough_ || findings_.size() >= options_.max_findings;
}

void ExitBlockSearch::race(ThreadId thread, const Access& access, const std::vector<StepRecord>& block) {
    if (assumptions_.racy().contains(access.location)) {
        return;
    }
    assumptions_.see_racy(access.location);
    std::vector<StepRecord> steps = block;
    steps.front().preempting = block_preempts_;
    Finding finding = finding_at(steps_with_block(trail_, steps));
    finding.kind = FindingKind::Race;
    finding.thread = thread;
    finding.operation = Operation{};
    finding.operation.kind = access.write ? OpKind::Write : OpKind::Read;
    finding.operation.location = access.location;
    finding.operation.site = access.site;
    races_.add(std::move(finding));
}

void ExitBlockSearch::finish_run(const Node& node, const BlockResult& block) {
    const std::vector<StepRecord> steps = steps_with_block(node.trail, block.steps);
    const RunEnd& end = *block.end;
    if (std::optional<Finding> finding = finding_of_end(end, steps, execution_, options_.judge)) {
        const bool forced = node.last_held_back && steps.back().thread != node.last;
        if (wanted_ && wanted_->is(*finding)) {
            found(*finding, node.forced_switches + (forced ? 1 : 0));
        }
        findings_.add(std::move(*finding));
    }
    count_path(PathEnd::Complete, steps, &end);
}

void ExitBlockSearch::look_for_wanted(const Node& node) {
    std::optional<Finding> finding = wanted_ ? wanted_->in_state(execution_) : std::nullopt;
    if (finding) {
        const std::vector<StepRecord> steps = all_steps(node.trail);
        finding->schedule = to_schedule(steps);
        finding->preemptions = count_preemptions(steps);
        found(std::move(*finding), node.forced_switches);
    }
}

void ExitBlockSearch::found(Finding finding, unsigned forced_switches) {
    if (is_bounded() && finding.preemptions + forced_switches > *options_.bound) {
        return;
    }
    if (!found_) {
        found_ = std::move(finding);
    }
    stopped_ = true;
}

void ExitBlockSearch::look_for_cycle(const Node& node, ThreadId thread) {
    if (!options_.find_deadlocks) {
        return;
    }
    if (std::optional<std::vector<Wait>> cycle = find_wait_cycle(execution_, thread)) {
        findings_.add(finding_of_cycle(std::move(*cycle), all_steps(node.trail)));
    }
}

void ExitBlockSearch::analyse_failed_acquire(const Node& node, ThreadId thread, const BlockResult& block) {
    if (!options_.find_deadlocks || rules_.executes_nesting()) {
        return;
    }
    const auto chain = reverse_lock_chain(execution_.model(), block.monitors, thread, block.failed);
    if (!chain) {
        return;
    }
    counts_.predictions += 1;
    const std::vector<StepRecord> steps = steps_with_block(node.trail, block.steps);
    if (std::optional<Finding> confirmed = confirm_deadlock(execution_, steps, *chain)) {
        findings_.add(std::move(*confirmed));
    } else {
        Finding finding = finding_at(steps);
        finding.kind = FindingKind::Deadlock;
        finding.thread = ThreadId{};
        finding.confirmed = false;
        finding.is_cycle = true;
        for (const ChainLink& link : *chain) {
            Operation wanted;
            wanted.kind = OpKind::MutexLock;
            wanted.object = link.lock;
            finding.waits.push_back({link.thread, wanted, {}});
        }
        predicted_.add(std::move(finding));
    }
    execution_.revisit(node.place);
}

bool ExitBlockSearch::fire_timeouts(const Node& node) {
    bool fired = false;
    const auto all = execution_.parked();
    for (auto parked = all.rbegin(); parked != all.rend(); ++parked) {
        if (execution_.model().can_time_out(parked->thread, parked->operation)) {
            stack_.push_back({.node = node, .current = parked->thread, .fire_timeout = true});
            fired = true;
        }
    }
    return fired;
}

void ExitBlockSearch::report_stuck(const Node& node) {
    findings_.add(finding_of_stuck(execution_, all_steps(node.trail)));
}

void ExitBlockSearch::finish_unfair_path(const Node& node, bool progressed) {
    // Everybody who could run waits for somebody else to go first: for a time limit to pass, or for a delayed
    // thread. What starts with a delayed thread has been explored elsewhere.
    const bool lazy = !execution_.model().model_options().explore_timeouts;
    if (lazy && fire_timeouts(node)) {
        return;
    }
    if (progressed) {
        count_path(PathEnd::Redundant, all_steps(node.trail));
    }
}

void ExitBlockSearch::finish_spinning_path(const Node& node) {
    const std::vector<StepRecord> steps = all_steps(node.trail);
    if (node.fairness.is_livelock()) {
        findings_.add(finding_of_livelock(steps));
        count_path(PathEnd::Livelocked, steps);
    } else {
        count_path(PathEnd::Truncated, steps);
    }
}

void ExitBlockSearch::settle(const Node& node) {
    // Nothing keeps the delayed threads from running and waking up the waiting ones: see what they do.
    std::vector<StepRecord> steps;
    Monitors monitors = *node.monitors;
    Turns turns = turns_after(node.trail);
    for (;;) {
        const auto all = execution_.parked();
        const auto next = std::find_if(all.begin(), all.end(), [&](const ParkedThread& parked) {
            return monitors.of(parked.thread).steps < options_.thread_step_limit &&
                   execution_.model().enabled(parked.thread, parked.operation);
        });
        if (next == all.end()) {
            break;
        }
        const ThreadId thread = next->thread;
        const Variant variant = execution_.model().options(thread, next->operation).front();
        const bool preempting = turns.switch_to(execution_, thread) == SwitchKind::Preemption;
        const StepResult step = execution_.step(thread, variant);
        counts_.steps += 1;
        steps.push_back({thread, step.operation, variant, preempting});
        turns.made_step(thread, step.operation.kind);
        if (step.end) {
            return;
        }
        monitors.step(thread, step, execution_.model());
    }
    const auto stuck = execution_.parked();
    const bool can_time_out = std::any_of(stuck.begin(), stuck.end(), [&](const ParkedThread& parked) {
        return execution_.model().can_time_out(parked.thread, parked.operation);
    });
    const bool limited =
        std::any_of(monitors.threads.begin(), monitors.threads.end(),
                    [&](const ThreadHoldings& thread) { return thread.steps >= options_.thread_step_limit; });
    if (!limited && !can_time_out) {
        Node end = node;
        end.trail = std::make_shared<const Trail>(node.trail, ThreadId{}, std::move(steps));
        report_stuck(end);
    }
}

void ExitBlockSearch::finish_path(const Node& node, bool progressed) {
    const std::vector<StepRecord> steps = all_steps(node.trail);
    const bool someone_waits = !node.blocked.empty();
    if (!node.delayed.empty() && !(fault(Fault::BelieveDelayed) && someone_waits)) {
        // What the delayed threads do next has been explored elsewhere, deadlocks included; the paper's own
        // footprints do not promise that (6.2, 6.3), so there they are run to see.
        if (someone_waits && options_.find_deadlocks && options_.footprints == FootprintSource::PlainData) {
            settle(node);
        }
        if (progressed) {  // otherwise every attempt failed at once: the X of figure 4, not a path of its own
            count_path(PathEnd::Redundant, steps);
        }
        return;
    }
    const auto parked = execution_.parked();
    const bool limited = std::any_of(parked.begin(), parked.end(), [&](const ParkedThread& thread) {
        return node.monitors->at_limit(thread.thread);
    });
    if (limited) {
        count_path(PathEnd::Truncated, steps);
        return;
    }
    if (fire_timeouts(node)) {
        return;
    }
    if (!options_.find_deadlocks) {
        count_path(PathEnd::Deadlocked, steps);
        return;
    }
    // Those that were taken back to the start of their blocks are driven forward to where they really wait.
    Node stuck = node;
    std::vector<StepRecord> driven;
    Turns turns = turns_after(node.trail);
    for (const Blocked& blocked : node.blocked) {
        while (!blocked.at_start) {
            const Operation operation = execution_.parked_thread(blocked.thread).operation;
            const std::vector<Variant> variants = execution_.model().options(blocked.thread, operation);
            if (variants.empty()) {
                break;
            }
            const bool preempting = turns.switch_to(execution_, blocked.thread) == SwitchKind::Preemption;
            const StepResult step = execution_.step(blocked.thread, variants.front());
            COOPCHECK_CHECK(!step.outcome.released && !step.end, "a thread held to be stuck can go on");
            driven.push_back({blocked.thread, step.operation, variants.front(), preempting});
            turns.made_step(blocked.thread, step.operation.kind);
        }
    }
    stuck.trail = std::make_shared<const Trail>(node.trail, ThreadId{}, std::move(driven));
    report_stuck(stuck);
    count_path(PathEnd::Deadlocked, all_steps(stuck.trail));
}

}  // namespace coopcheck
