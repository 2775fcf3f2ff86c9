#pragma once

#include <optional>
#include <variant>

#include "tracer/ptrace.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// The process ended by itself and is reaped.
struct Exited {
    int code;
    friend bool operator==(const Exited&, const Exited&) = default;
};

/// The process was ended by a signal and is reaped.
struct Signalled {
    int signal;
    friend bool operator==(const Signalled&, const Signalled&) = default;
};

/// The tracee is stopped with a signal that it has not received yet.
struct Stopped {
    int signal;
    friend bool operator==(const Stopped&, const Stopped&) = default;
};

/// The tracee is stopped at an event asked for with ptrace::set_options.
struct EventStop {
    ptrace::Event event;
    friend bool operator==(const EventStop&, const EventStop&) = default;
};

using WaitStatus = std::variant<Exited, Signalled, Stopped, EventStop>;

[[nodiscard]] WaitStatus decode_wait_status(int raw);

/// True when the process is gone and must not be waited for again.
[[nodiscard]] bool is_end(const WaitStatus& status);

/// Waits until the child or tracee changes its state. The only place that waits for processes.
[[nodiscard]] WaitStatus wait_for(ProcessId process);

/// The raw status with which a child has ended; waits for its end. One that is not
/// ours has no end. Nothing is checked: safe after a fork, where there is nobody to tell.
[[nodiscard]] int wait_for_end(ProcessId process);

/// The next change of state if there is one already.
[[nodiscard]] std::optional<WaitStatus> look_at(ProcessId process);

/// Whether this process has a child or tracee left, running, stopped or dead. For tests: one that has changed
/// its state may be reaped by the question.
[[nodiscard]] bool has_child();

}  // namespace coopcheck::tracer
