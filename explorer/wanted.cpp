#include "explorer/wanted.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "explorer/deadlock.hpp"
#include "explorer/race_state.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

namespace {

const ParkedThread* find_parked(const Execution& execution, ThreadId thread) {
    const auto all = execution.parked();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ParkedThread& parked) { return parked.thread == thread; });
    return found == all.end() ? nullptr : &*found;
}

/// The waits as they are now, if the same threads are parked at the same operations, for ever unless somebody
/// helps.
std::optional<std::vector<Wait>> same_waits(const Execution& execution, const std::vector<Wait>& wanted) {
    std::vector<Wait> waits;
    for (const Wait& wait : wanted) {
        const ParkedThread* parked = find_parked(execution, wait.thread);
        // What Finding::key() compares.
        const bool same = parked != nullptr && parked->operation.kind == wait.operation.kind &&
                          parked->operation.object == wait.operation.object &&
                          parked->operation.thread == wait.operation.thread;
        if (!same || execution.model().enabled(wait.thread, parked->operation) ||
            execution.model().can_time_out(wait.thread, parked->operation)) {
            return std::nullopt;
        }
        waits.push_back(
            {wait.thread, parked->operation, execution.model().blockers(wait.thread, parked->operation)});
    }
    return waits;
}

/// Whether the waits can be put in an order in which each is blocked by the next, and the last by the first.
bool form_cycle(const std::vector<Wait>& waits) {
    std::vector<ThreadId> path{waits.front().thread};
    const std::function<bool(const Wait&)> closes = [&](const Wait& last) {
        return std::any_of(last.blockers.begin(), last.blockers.end(), [&](ThreadId blocker) {
            if (blocker == path.front()) {
                return path.size() == waits.size();
            }
            const auto next = std::find_if(waits.begin(), waits.end(),
                                           [&](const Wait& wait) { return wait.thread == blocker; });
            if (next == waits.end() || std::find(path.begin(), path.end(), blocker) != path.end()) {
                return false;
            }
            path.push_back(blocker);
            const bool found = closes(*next);
            path.pop_back();
            return found;
        });
    };
    return closes(waits.front());
}

}  // namespace

Wanted::Wanted(const Finding& finding, Judge judge)
    : finding_(finding), key_(finding.key()), judge_(std::move(judge)) {}

std::optional<Finding> Wanted::in_state(const Execution& execution) const {
    if (finding_.kind == FindingKind::Race && finding_.race) {
        return race_in_state(execution, *finding_.race);
    }
    if (finding_.kind != FindingKind::Deadlock || finding_.waits.empty()) {
        return std::nullopt;
    }
    std::optional<std::vector<Wait>> waits = same_waits(execution, finding_.waits);
    if (!waits) {
        return std::nullopt;
    }
    Finding finding;
    finding.kind = FindingKind::Deadlock;
    finding.is_cycle = form_cycle(*waits);
    if (!finding.is_cycle) {
        const auto all = execution.parked();
        const bool in_cycle = std::any_of(all.begin(), all.end(), [&](const ParkedThread& parked) {
            return find_wait_cycle(execution, parked.thread).has_value();
        });
        if (all.size() != waits->size() || in_cycle) {
            return std::nullopt;
        }
    }
    finding.waits = std::move(*waits);
    return finding;
}

std::optional<Finding> Wanted::after(const Execution& execution, ThreadId thread,
                                     const StepResult& step) const {
    if (!step.end) {
        return in_state(execution);
    }
    std::optional<Finding> finding =
        finding_of_end(*step.end, {{thread, step.operation, step.variant, false}}, execution, judge_);
    return finding && is(*finding) ? finding : std::nullopt;
}

}  // namespace coopcheck
