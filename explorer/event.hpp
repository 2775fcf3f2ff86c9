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
    /// The labels of the other variants that the operation could have had.
    std::vector<Label> alternatives;
    /// Of a timeout that fired because nothing else could run: the label of the operation as it waited.
    std::optional<Label> waiting;
    /// The step came by a switch away from a thread that could have gone on.
    bool preempting = false;
    /// See make_plain_section().
    bool ends_plain_section = false;
};

/// The event that a step is going to be; its operation is completed by made().
[[nodiscard]] Event event_before(const SyncModel& model, ThreadId thread, const Operation& operation,
                                 Variant variant, const LabelOptions& options);
/// Completes it with what the step showed.
void made(Event& event, const StepResult& step);

/// Adds the data that the thread accessed after its operation.
void add_accesses(Event& event, const StepResult& step);
/// A section that does nothing but access data commutes with other such sections of its lock, unless their
/// data conflict: what the events touch of the lock becomes Effect::Add. Who holds a lock for more, or asks
/// whether it is held, still conflicts with them.
void make_plain_section(Event& lock, Event& unlock);
/// Its unlock has been taken back.
void unmake_plain_section(Event& lock);
/// Whether the two, consecutive events of one thread, are such a section.
[[nodiscard]] bool is_plain_section(const Event& lock, const Event& unlock, const SyncModel& model);

/// An operation that a thread is parked at when a path ends.
struct PendingOperation {
    ThreadId thread;
    Operation operation;
};

/// Where all threads are parked, or all but one.
void note_pending(const Execution& execution, ThreadId except, std::vector<PendingOperation>& pending);

}  // namespace coopcheck
