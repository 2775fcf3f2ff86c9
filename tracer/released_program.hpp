#pragma once

#include <sched.h>

#include <string>
#include <vector>

#include "core/ids.hpp"
#include "tracer/child_process.hpp"
#include "tracer/owned_file.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A virtual thread that has become one of the kernel's.
struct RealThread {
    ThreadId id;
    ProcessId kernel_id{0};
};

/// A stopped program whose threads are all real and that nobody traces.
struct ReleasedProgram {
    ChildProcess process;
    /// The kernel's first thread first, the others in the order in which the kernel knows them.
    std::vector<RealThread> threads;
    /// Where its system calls ask whether they may go on (see CallListener); not valid if the kernel has
    /// none: then those that the filter stops fail with ENOSYS.
    OwnedFile listener;
    /// What would be otherwise if it had run by itself: sentences.
    std::vector<std::string> differences;
    /// Where we were allowed to run before we chose one for all.
    cpu_set_t cpus{};
};

}  // namespace coopcheck::tracer
