#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/dependence.hpp"
#include "core/execution.hpp"

namespace coopcheck {

/// label_of(), unless a deliberate fault spoils it.
[[nodiscard]] Label event_label(const SyncModel& before, ThreadId thread, const Operation& operation,
                                Variant variant, const LabelOptions& options);

/// The states that a step could change, as they were before it: enough to ask what would be enabled without
/// it.
struct StatesBefore {
    std::vector<std::pair<ObjectId, ObjectState>> objects;
    /// The thread itself, and the threads whose life or wait it touches.
    std::vector<std::pair<ThreadId, ThreadState>> threads;
    std::uint32_t spurious_left = 0;
};

[[nodiscard]] StatesBefore states_before(const SyncModel& model, ThreadId thread, const Label& label);

/// A step that was made, as partial-order reduction sees it.
struct Event {
    ThreadId thread;
    Operation operation;
    Variant variant;
    Label label;
    StatesBefore before;
    /// Of a timeout that fired because nothing else could run: the label of the operation as it waited.
    std::optional<Label> waiting;
    /// The step came by a switch away from a thread that could have gone on.
    bool preempting = false;
};

/// An operation that a thread is parked at when a path ends.
struct PendingOperation {
    ThreadId thread;
    Operation operation;
};

}  // namespace coopcheck
