#include "explorer/run_findings.hpp"

#include <utility>

#include "explorer/deadlock.hpp"

namespace coopcheck {

Finding finding_at(const std::vector<StepRecord>& steps) {
    Finding finding;
    finding.schedule = to_schedule(steps);
    finding.preemptions = count_preemptions(steps);
    if (!steps.empty()) {
        finding.thread = steps.back().thread;
        finding.operation = steps.back().operation;
    }
    return finding;
}

std::optional<Finding> finding_of_end(const RunEnd& end, const std::vector<StepRecord>& steps,
                                      const Execution& execution, const Judge& judge) {
    const bool by_itself = end.kind != RunEnd::Kind::Failed && end.kind != RunEnd::Kind::Misused;
    std::optional<Verdict> verdict = by_itself && judge ? judge(end, execution) : std::nullopt;
    if (by_itself && !verdict) {
        return std::nullopt;
    }
    Finding finding = finding_at(steps);
    if (verdict) {
        finding.kind = verdict->kind;
        finding.message = std::move(verdict->message);
        return finding;
    }
    finding.message = end.message;
    finding.misuse = end.misuse;
    finding.kind = end.kind == RunEnd::Kind::Failed ? end.failure : FindingKind::Misuse;
    return finding;
}

Finding finding_of_cycle(std::vector<Wait> cycle, const std::vector<StepRecord>& steps) {
    Finding finding = finding_at(steps);
    finding.kind = FindingKind::Deadlock;
    finding.thread = ThreadId{};
    finding.waits = std::move(cycle);
    finding.is_cycle = true;
    return finding;
}

Finding finding_of_stuck(const Execution& execution, const std::vector<StepRecord>& steps) {
    for (const ParkedThread& parked : execution.parked()) {
        if (auto cycle = find_wait_cycle(execution, parked.thread)) {
            return finding_of_cycle(std::move(*cycle), steps);
        }
    }
    Finding finding = finding_of_cycle(all_waits(execution), steps);
    finding.is_cycle = false;
    return finding;
}

Finding finding_of_livelock(const std::vector<StepRecord>& steps) {
    Finding finding = finding_at(steps);
    finding.kind = FindingKind::Livelock;
    finding.message =
        "goes round in a circle: everything is as it was some turns before, and everybody who can run "
        "has had a turn since";
    return finding;
}

}  // namespace coopcheck
