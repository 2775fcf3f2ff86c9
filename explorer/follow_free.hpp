#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "core/names.hpp"
#include "core/noise.hpp"
#include "core/verdict.hpp"

namespace coopcheck {

/// What came out of following a free run under control.
struct Followed {
    /// With a schedule of its own.
    std::optional<Finding> finding;
    /// Operations that were made in their turn, and those that were not possible then.
    std::size_t made = 0;
    std::size_t skipped = 0;
    /// The run was given up.
    bool too_long = false;
};

struct FollowOptions {
    /// As in SearchOptions.
    Judge judge;
    std::size_t most_steps = 1'000'000;
};

/// Runs the program from its start so that its operations come in the order of a free run as far as that is
/// possible, and completes the run without preemptions. `names` are those of the free run: threads are
/// recognized by name.
///
/// A free run records that a thread was let go to an operation, not when that took place. An operation that
/// may have to wait is made in its turn if it can be, unless another thread that asks for the same object
/// shows by coming to its next operation earlier that it was served first; else as late as possible, just
/// before the next operation of its thread.
///
/// Leaves the execution at the end of the run. The execution may be refined meanwhile.
[[nodiscard]] Followed follow_free_run(Execution& execution, const std::vector<FreeOperation>& operations,
                                       const Names& names, const FollowOptions& options);

}  // namespace coopcheck
