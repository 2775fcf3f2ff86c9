#pragma once

#include <span>
#include <string>
#include <vector>

#include "tracer/borrowed_thread.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/virtual_thread.hpp"

namespace coopcheck::tracer {

/// The threads of a stopped target while they become the kernel's (section 6 B of the design). All are traced
/// by us; those that were not let go are killed with the process, and reaped, when the object ends.
class KernelThreads {
  public:
    /// `leader`: the one kernel thread that there is, stopped.
    KernelThreads(ProcessId leader, const TargetMemory& memory) : leader_(leader), memory_(memory) {}
    ~KernelThreads();
    KernelThreads(const KernelThreads&) = delete;
    KernelThreads& operator=(const KernelThreads&) = delete;

    struct Identity {
        /// As gdb and /proc will show it.
        std::string name;
        /// glibc's list of robust mutexes; null_address if it has none.
        RemoteAddress robust_list{};
    };

    /// The one kernel thread is this thread, and has its extended state, masks and alternate stack already.
    void add_leader(const VirtualThread& thread, const Identity& identity);
    /// Makes another kernel thread. Throws Error if the kernel does not.
    ProcessId add(const VirtualThread& thread, const Identity& identity);

    /// Gives the threads their registers and leaves them, stopped as by SIGSTOP, to whom it may concern.
    void let_go();

  private:
    struct Member {
        ProcessId kernel_id{0};
        user_regs_struct registers{};
    };
    void identify(BorrowedThread& borrowed, const Identity& identity) const;

    ProcessId leader_;
    TargetMemory memory_;
    std::vector<Member> members_;
};

}  // namespace coopcheck::tracer
