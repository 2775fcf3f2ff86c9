#pragma once

#include <cstdint>
#include <functional>

#include "core/execution.hpp"
#include "explorer/tree_estimate.hpp"

namespace coopcheck {

struct BoundedEstimateOptions {
    /// Schedules with at most so many preemptions are counted.
    unsigned bound = 0;
    std::size_t walks = 20;
    std::uint64_t seed = 1;
    /// A walk that gets longer is dropped: what it would have counted is missing.
    std::size_t most_steps = 10'000;
    /// Asked before each walk.
    std::function<bool()> should_stop;
};

/// Knuth's estimate of the number of schedules within a bound on preemptions: random walks that choose
/// uniformly among what the bound still allows. Nothing is pruned here, so a search runs fewer. Leaves the
/// execution anywhere. A Refined of the execution ends it early; what was counted before is void then.
[[nodiscard]] TreeEstimate estimate_within_bound(Execution& execution, const BoundedEstimateOptions& options);

}  // namespace coopcheck
