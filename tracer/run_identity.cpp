// Who the program believes its process and threads to be, and where they run.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "tracer/run.hpp"

namespace coopcheck::tracer {

namespace {

/// Of a thread, without the zero at its end (TASK_COMM_LEN).
constexpr std::size_t longest_name = 15;

}  // namespace

Run::Next Run::on_identity(VirtualThread& thread) {
    switch (thread.registers.orig_rax) {
        case SYS_gettid:
            return answer(thread, thread.kernel_id);
        case SYS_getpid:
            return answer(thread, state_.threads.front().kernel_id);
        default:
            return answer(thread, state_.threads.front().kernel_id - 1);
    }
}

Run::Next Run::on_set_tid_address(VirtualThread& thread) {
    thread.clear_on_exit = RemoteAddress{thread.registers.rdi};
    return answer(thread, thread.kernel_id);
}

Run::Next Run::on_scheduling(VirtualThread& thread) {
    user_regs_struct& registers = thread.registers;
    switch (registers.orig_rax) {
        case SYS_getcpu: {
            constexpr unsigned zero = 0;
            if (registers.rdi != 0)
                static_cast<void>(memory_.write_value(RemoteAddress{registers.rdi}, zero));
            if (registers.rsi != 0)
                static_cast<void>(memory_.write_value(RemoteAddress{registers.rsi}, zero));
            return answer(thread, 0);
        }
        case SYS_sched_setaffinity:
            return answer(thread, 0);  // there is one CPU for all, whatever the program wishes
        case SYS_sched_getaffinity: {
            const cpu_set_t& cpus = session_->pin.before();
            const std::uint64_t size = std::min<std::uint64_t>(registers.rsi, sizeof cpus) / 8 * 8;
            if (memory_.write(RemoteAddress{registers.rdx}, std::as_bytes(std::span(&cpus, 1)).first(size))) {
                return answer(thread, -EFAULT);
            }
            return answer(thread, static_cast<std::int64_t>(size));
        }
        default:
            break;
    }
    const auto wanted = static_cast<int>(registers.rdi);
    if (wanted == 0) return Next::Resume;
    if (thread_with_kernel_id(wanted) == nullptr) return answer(thread, -ESRCH);
    registers.rdi = 0;  // all threads are the one kernel thread
    return Next::ResumeChanged;
}

Run::Next Run::on_process_control(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const RemoteAddress where{registers.rsi};
    switch (registers.rdi) {
        case PR_SET_NAME:
            thread.name = memory_.read_string(where, longest_name);
            return Next::Resume;
        case PR_GET_NAME: {
            if (thread.name.empty()) return Next::Resume;
            std::array<char, longest_name + 1> name{};
            thread.name.copy(name.data(), longest_name);
            return answer(thread, memory_.write_value(where, name) ? -EFAULT : 0);
        }
        default:
            return Next::Resume;
    }
}

}  // namespace coopcheck::tracer
