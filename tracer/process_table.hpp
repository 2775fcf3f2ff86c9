#pragma once

#include <vector>

#include "tracer/target_types.hpp"

/// What /proc tells of processes and threads. Those that are gone have nothing to tell.
namespace coopcheck::tracer {

[[nodiscard]] std::vector<ProcessId> threads_of(ProcessId process);
[[nodiscard]] std::vector<ProcessId> processes_in_group(ProcessId group);
[[nodiscard]] bool is_zombie(ProcessId thread);
/// It waits in the kernel and no signal but SIGKILL wakes it.
[[nodiscard]] bool is_uninterruptible(ProcessId thread);

/// The thread sleeps in a futex wait that has no time limit.
[[nodiscard]] bool waits_on_futex_for_ever(ProcessId thread);

}  // namespace coopcheck::tracer
