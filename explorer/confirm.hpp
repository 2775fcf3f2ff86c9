#pragma once

#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

/// Drives the program into a deadlock that reverse lock chain analysis has predicted: runs `steps` again, but
/// each thread of the chain stops before it takes the lock of its link, and steps that have become impossible
/// are left out with what the same thread does after them. If the threads of the chain then really wait for
/// each other, the result has the deadlock with its own, replayable schedule.
///
/// Leaves the execution anywhere: revisit a place afterwards.
[[nodiscard]] std::optional<Finding> confirm_deadlock(Execution& execution,
                                                      const std::vector<StepRecord>& steps,
                                                      const std::vector<ChainLink>& chain);

}  // namespace coopcheck
