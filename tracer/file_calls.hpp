#pragma once

#include <poll.h>
#include <sys/user.h>

#include <ctime>
#include <optional>
#include <vector>

#include "tracer/target_memory.hpp"

namespace coopcheck::tracer {

/// A system call on descriptors, decoded: what it needs before it can go on.
struct FileCall {
    /// Descriptors of the target; empty if it never waits for one.
    std::vector<pollfd> files;
    /// Asked not to wait (MSG_DONTWAIT, a time limit of 0).
    bool never_waits = false;
    /// From now on.
    std::optional<timespec> limit;
    /// poll, select, epoll_wait ...: waiting is all it does.
    bool is_poll = false;
};

/// Nothing when the arguments point nowhere: then the call itself fails with EFAULT.
[[nodiscard]] std::optional<FileCall> decode_file_call(const user_regs_struct& registers,
                                                       const TargetMemory& memory);

/// Changes the arguments of a call with a time limit so that it does not wait. `zero` is a place with 16
/// bytes of zeros.
void make_immediate(user_regs_struct& registers, RemoteAddress zero);

}  // namespace coopcheck::tracer
