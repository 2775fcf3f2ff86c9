#pragma once

#include <sys/user.h>

#include <array>
#include <cstdint>
#include <optional>

#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A stopped kernel thread of the target that makes system calls for us, from the scratch page. Its registers
/// are ours until somebody sets them again.
class BorrowedThread {
  public:
    using Arguments = std::array<std::uint64_t, 6>;

    /// `registers`: those that a system call does not need stay as they are there.
    BorrowedThread(ProcessId thread, const user_regs_struct& registers)
        : thread_(thread), registers_(registers) {}

    /// What the kernel answers: a result, or an error number below zero. Signals that come meanwhile are
    /// dropped. Throws Error if the thread is gone.
    std::int64_t call(long system_call, const Arguments& arguments);

    /// The thread or process that the last call made, traced by us and not yet waited for.
    [[nodiscard]] std::optional<ProcessId> newborn() const { return newborn_; }

  private:
    ProcessId thread_;
    user_regs_struct registers_;
    std::optional<ProcessId> newborn_;
};

}  // namespace coopcheck::tracer
