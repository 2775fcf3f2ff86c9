#pragma once

#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "core/verdict.hpp"
#include "explorer/trail.hpp"

// What a run has shown, as findings: the same for every search. `steps` are those from the start of the
// program to where it showed.

namespace coopcheck {

/// Schedule, preemptions, and the last step's thread and operation; the kind is the caller's.
[[nodiscard]] Finding finding_at(const std::vector<StepRecord>& steps);

/// A failure, a misuse, or what the judge (which may be empty) says of a run that ended by itself; nothing if
/// the run ended well. `execution` stands at the end.
[[nodiscard]] std::optional<Finding> finding_of_end(const RunEnd& end, const std::vector<StepRecord>& steps,
                                                    const Execution& execution, const Judge& judge);

/// A cycle from find_wait_cycle().
[[nodiscard]] Finding finding_of_cycle(std::vector<Wait> cycle, const std::vector<StepRecord>& steps);

/// Nobody can go on: a cycle among them if there is one, otherwise all of them.
[[nodiscard]] Finding finding_of_stuck(const Execution& execution, const std::vector<StepRecord>& steps);

/// Fairness::is_livelock() after the last step.
[[nodiscard]] Finding finding_of_livelock(const std::vector<StepRecord>& steps);

}  // namespace coopcheck
