#pragma once

#include <memory>
#include <vector>

#include "core/execution.hpp"
#include "core/schedule.hpp"

namespace coopcheck {

/// A step as the search remembers it.
struct StepRecord {
    ThreadId thread;
    Operation operation;
    Variant variant;
    /// The step came by a switch away from a thread that could have gone on.
    bool preempting = false;
};

/// The steps from the start of the program to a node, shared by all the nodes that have them in common:
/// one link per block.
struct Trail {
    // Cut by the destructor of the last child, so that a long trail does not end in deep recursion.
    mutable std::shared_ptr<const Trail> parent;
    /// Whose block; the block of a thread that met its limit at once is empty.
    ThreadId thread;
    std::vector<StepRecord> steps;

    Trail(std::shared_ptr<const Trail> before, ThreadId whose, std::vector<StepRecord> block)
        : parent(std::move(before)), thread(whose), steps(std::move(block)) {}
    ~Trail();
    Trail(const Trail&) = delete;
    Trail& operator=(const Trail&) = delete;
};

using TrailPtr = std::shared_ptr<const Trail>;

[[nodiscard]] std::vector<StepRecord> all_steps(const TrailPtr& trail);
[[nodiscard]] Schedule to_schedule(const std::vector<StepRecord>& steps);
[[nodiscard]] unsigned count_preemptions(const std::vector<StepRecord>& steps);

}  // namespace coopcheck
