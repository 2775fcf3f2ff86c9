#pragma once

#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "explorer/walk.hpp"

namespace coopcheck {

/// A schedule that was executed and showed the finding with its last step.
struct Counterexample {
    /// With the schedule and the preemptions of `steps`.
    Finding finding;
    std::vector<WalkStep> steps;
    ScheduleCost cost;
    /// Element i is before step i; one more for the end.
    std::vector<PlacePtr> places;
};

/// The walk, which has just come to the finding. Leaves the execution at the end of it, with checkpoints
/// wherever the execution holds them to be worth it on the way there.
[[nodiscard]] Counterexample counterexample_of(Walk& walk, Finding finding);

}  // namespace coopcheck
