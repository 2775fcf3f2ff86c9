// Steps of one thread of a free run while the others stand still.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <span>

#include "tracer/free_run.hpp"
#include "tracer/process_table.hpp"

namespace coopcheck::tracer {

void FreeRun::stop_all_but(ProcessId id) {
    for (auto& [other, tracee] : tracees_) {
        // One that is new stops before its first instruction by itself.
        if (other == id || !tracee.thread || tracee.is_held || tracee.is_new || tracee.put_aside) continue;
        tracee.stops_to_come += 1;
        if (::syscall(SYS_tgkill, static_cast<pid_t>(process_.id()), static_cast<pid_t>(other), SIGSTOP) != 0)
            tracee.stops_to_come -= 1;  // it has ended
        for (;;) {
            const auto status = other == process_.id() ? process_.look() : look_at(other);
            if (status == WaitStatus(Stopped{SIGSTOP}) && tracee.stops_to_come > 0) {
                tracee.stops_to_come -= 1;
                tracee.stands_still = true;
                break;
            }
            if (status) {
                tracee.put_aside = status;
                break;
            }
            // In the kernel, and cannot be woken (a vfork lasts until its child lets go): when it comes back
            // it stops before its next instruction.
            if (is_uninterruptible(other)) break;
            child_signal_.wait(std::chrono::milliseconds(1));
        }
    }
}

void FreeRun::step_alone(ProcessId id, user_regs_struct registers, RemoteAddress function,
                         const Breakpoint& breakpoint) {
    constexpr std::byte int3{0xcc};
    const TargetMemory memory(id);
    Tracee& tracee = tracees_[id];
    // Another process of the program is not stopped for: nothing in it is recorded.
    if (tracee.thread) stop_all_but(id);
    registers.rip = number(function);
    // What fails here fails because the thread has been killed; its end will be reported.
    if (!ptrace::set_registers(id, registers) &&
        !memory.write_code(function, std::span(&breakpoint.original, 1))) {
        while (!ptrace::single_step(id)) {
            const WaitStatus status = id == process_.id() ? process_.wait() : wait_for(id);
            if (status == WaitStatus(Stopped{SIGTRAP})) break;
            const auto* stopped = std::get_if<Stopped>(&status);
            if (stopped == nullptr) {
                tracee.put_aside = status;
                break;
            }
            // A signal came first. It is delivered when the thread goes on.
            if (stopped->signal == SIGSTOP && tracee.stops_to_come > 0) {
                tracee.stops_to_come -= 1;
            } else {
                tracee.deliver = stopped->signal;
            }
        }
        static_cast<void>(memory.write_code(function, std::span(&int3, 1)));
    }
    for (auto& [other, still] : tracees_) {
        if (!still.stands_still) continue;
        still.stands_still = false;
        static_cast<void>(ptrace::cont(other));
    }
}

}  // namespace coopcheck::tracer
