// What a run does at system calls that the filter stops.
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"
#include "tracer/supported_program.hpp"
#include "tracer/system_calls.hpp"

namespace coopcheck::tracer {

/// One row per system call that the filter stops.
struct Run::SystemCallRow {
    long number;
    Next (Run::*handler)(VirtualThread&);
};

const Run::SystemCallRow* Run::find_row(long system_call) {
    static constexpr std::array rows{
        SystemCallRow{SYS_futex, &Run::on_futex},
        SystemCallRow{SYS_write, &Run::on_output},
        SystemCallRow{SYS_writev, &Run::on_output},
        SystemCallRow{SYS_mmap, &Run::on_map},
        SystemCallRow{SYS_mprotect, &Run::on_code},
        SystemCallRow{SYS_pkey_mprotect, &Run::on_code},
        SystemCallRow{SYS_sigaltstack, &Run::on_alternate_stack},
        SystemCallRow{SYS_open, &Run::on_open},
        SystemCallRow{SYS_openat, &Run::on_open},
        SystemCallRow{SYS_openat2, &Run::on_open},
        SystemCallRow{SYS_creat, &Run::on_open},
        SystemCallRow{SYS_sched_yield, &Run::on_yield},
        SystemCallRow{SYS_nanosleep, &Run::on_sleep},
        SystemCallRow{SYS_clock_nanosleep, &Run::on_sleep},
        SystemCallRow{SYS_exit, &Run::on_exit},
        SystemCallRow{SYS_exit_group, &Run::on_exit_group},
        SystemCallRow{SYS_read, &Run::on_input},
        SystemCallRow{SYS_readv, &Run::on_input},
        SystemCallRow{SYS_clock_gettime, &Run::on_clock},
        SystemCallRow{SYS_gettimeofday, &Run::on_clock},
        SystemCallRow{SYS_time, &Run::on_clock},
        SystemCallRow{SYS_getrandom, &Run::on_random},
        SystemCallRow{SYS_getpid, &Run::on_identity},
        SystemCallRow{SYS_gettid, &Run::on_identity},
        SystemCallRow{SYS_getppid, &Run::on_identity},
        SystemCallRow{SYS_set_tid_address, &Run::on_set_tid_address},
        SystemCallRow{SYS_tgkill, &Run::on_send_signal},
        SystemCallRow{SYS_tkill, &Run::on_send_signal},
        SystemCallRow{SYS_kill, &Run::on_send_signal},
        SystemCallRow{SYS_rt_tgsigqueueinfo, &Run::on_send_signal},
        SystemCallRow{SYS_sched_getaffinity, &Run::on_scheduling},
        SystemCallRow{SYS_sched_setaffinity, &Run::on_scheduling},
        SystemCallRow{SYS_sched_getparam, &Run::on_scheduling},
        SystemCallRow{SYS_sched_setparam, &Run::on_scheduling},
        SystemCallRow{SYS_sched_getscheduler, &Run::on_scheduling},
        SystemCallRow{SYS_sched_setscheduler, &Run::on_scheduling},
        SystemCallRow{SYS_getcpu, &Run::on_scheduling},
        SystemCallRow{SYS_clone, &Run::on_clone},
        SystemCallRow{SYS_clone3, &Run::on_clone},
        SystemCallRow{SYS_rt_sigqueueinfo, &Run::on_send_signal},
        SystemCallRow{SYS_rt_sigprocmask, &Run::on_signal_mask},
        SystemCallRow{SYS_rt_sigaction, &Run::on_signal_action},
        SystemCallRow{SYS_rt_sigreturn, &Run::on_signal_return},
        SystemCallRow{SYS_rt_sigtimedwait, &Run::on_wait_for_signal},
        SystemCallRow{SYS_rt_sigsuspend, &Run::on_pause},
        SystemCallRow{SYS_pause, &Run::on_pause},
        SystemCallRow{SYS_rt_sigpending, &Run::on_pending_signals},
        SystemCallRow{SYS_alarm, &Run::on_alarm},
        SystemCallRow{SYS_setitimer, &Run::on_interval_timer},
        SystemCallRow{SYS_getitimer, &Run::on_interval_timer},
        SystemCallRow{SYS_timer_create, &Run::on_timer_create},
        SystemCallRow{SYS_timer_settime, &Run::on_timer},
        SystemCallRow{SYS_timer_gettime, &Run::on_timer},
        SystemCallRow{SYS_timer_getoverrun, &Run::on_timer},
        SystemCallRow{SYS_timer_delete, &Run::on_timer},
        SystemCallRow{SYS_timerfd_create, &Run::on_channel_made},
        SystemCallRow{SYS_timerfd_settime, &Run::on_timer},
        SystemCallRow{SYS_timerfd_gettime, &Run::on_timer},
        SystemCallRow{SYS_times, &Run::on_times},
        SystemCallRow{SYS_getrusage, &Run::on_times},
        SystemCallRow{SYS_prctl, &Run::on_process_control},
        SystemCallRow{SYS_rename, &Run::on_change_of_file},
        SystemCallRow{SYS_renameat, &Run::on_change_of_file},
        SystemCallRow{SYS_renameat2, &Run::on_change_of_file},
        SystemCallRow{SYS_mkdir, &Run::on_change_of_file},
        SystemCallRow{SYS_mkdirat, &Run::on_change_of_file},
        SystemCallRow{SYS_rmdir, &Run::on_change_of_file},
        SystemCallRow{SYS_link, &Run::on_change_of_file},
        SystemCallRow{SYS_linkat, &Run::on_change_of_file},
        SystemCallRow{SYS_unlink, &Run::on_change_of_file},
        SystemCallRow{SYS_unlinkat, &Run::on_change_of_file},
        SystemCallRow{SYS_symlink, &Run::on_change_of_file},
        SystemCallRow{SYS_symlinkat, &Run::on_change_of_file},
        SystemCallRow{SYS_truncate, &Run::on_change_of_file},
        SystemCallRow{SYS_mknod, &Run::on_change_of_file},
        SystemCallRow{SYS_mknodat, &Run::on_change_of_file},
        SystemCallRow{SYS_dup, &Run::on_duplicate},
        SystemCallRow{SYS_dup2, &Run::on_duplicate},
        SystemCallRow{SYS_dup3, &Run::on_duplicate},
        SystemCallRow{SYS_fcntl, &Run::on_file_control},
        SystemCallRow{SYS_flock, &Run::on_file_lock},
        SystemCallRow{SYS_close, &Run::on_close},
        SystemCallRow{SYS_close_range, &Run::on_close_range},
        SystemCallRow{SYS_pipe, &Run::on_channel_made},
        SystemCallRow{SYS_pipe2, &Run::on_channel_made},
        SystemCallRow{SYS_eventfd, &Run::on_channel_made},
        SystemCallRow{SYS_eventfd2, &Run::on_channel_made},
        SystemCallRow{SYS_socket, &Run::on_channel_made},
        SystemCallRow{SYS_socketpair, &Run::on_channel_made},
        SystemCallRow{SYS_epoll_create, &Run::on_channel_made},
        SystemCallRow{SYS_epoll_create1, &Run::on_channel_made},
        SystemCallRow{SYS_inotify_init, &Run::on_channel_made},
        SystemCallRow{SYS_inotify_init1, &Run::on_channel_made},
        SystemCallRow{SYS_pidfd_open, &Run::on_channel_made},
        SystemCallRow{SYS_accept, &Run::on_file_call},
        SystemCallRow{SYS_accept4, &Run::on_file_call},
        SystemCallRow{SYS_connect, &Run::on_file_call},
        SystemCallRow{SYS_shutdown, &Run::on_file_call},
        SystemCallRow{SYS_epoll_ctl, &Run::on_file_call},
        SystemCallRow{SYS_recvfrom, &Run::on_file_call},
        SystemCallRow{SYS_recvmsg, &Run::on_file_call},
        SystemCallRow{SYS_recvmmsg, &Run::on_file_call},
        SystemCallRow{SYS_sendto, &Run::on_file_call},
        SystemCallRow{SYS_sendmsg, &Run::on_file_call},
        SystemCallRow{SYS_sendmmsg, &Run::on_file_call},
        SystemCallRow{SYS_sendfile, &Run::on_file_call},
        SystemCallRow{SYS_poll, &Run::on_poll},
        SystemCallRow{SYS_ppoll, &Run::on_poll},
        SystemCallRow{SYS_select, &Run::on_poll},
        SystemCallRow{SYS_pselect6, &Run::on_poll},
        SystemCallRow{SYS_epoll_wait, &Run::on_poll},
        SystemCallRow{SYS_epoll_pwait, &Run::on_poll},
        SystemCallRow{SYS_epoll_pwait2, &Run::on_poll},
        SystemCallRow{SYS_memfd_create, &Run::on_shared_memory},
        SystemCallRow{SYS_shmat, &Run::on_shared_memory},
        SystemCallRow{SYS_shmget, &Run::on_shared_memory},
        SystemCallRow{SYS_shmctl, &Run::on_shared_memory},
        SystemCallRow{SYS_shmdt, &Run::on_shared_memory},
        SystemCallRow{SYS_fork, &Run::on_clone},
        SystemCallRow{SYS_vfork, &Run::on_clone},
        SystemCallRow{static_cast<long>(Request::Assert), &Run::on_request},
        SystemCallRow{static_cast<long>(Request::Choose), &Run::on_request},
        SystemCallRow{static_cast<long>(Request::Yield), &Run::on_request},
        SystemCallRow{static_cast<long>(Request::RegionBegin), &Run::on_request},
        SystemCallRow{static_cast<long>(Request::RegionEnd), &Run::on_request},
    };
    const auto* found = std::find_if(rows.begin(), rows.end(),
                                     [&](const SystemCallRow& row) { return row.number == system_call; });
    return found == rows.end() ? nullptr : found;
}

Run::Next Run::on_system_call(VirtualThread& thread) {
    if (std::exchange(thread.passes_filter, false)) return Next::Resume;
    const auto number = static_cast<long>(thread.registers.orig_rax);
    if (const SystemCallRow* row = find_row(number)) return (this->*row->handler)(thread);
    const auto harmless = harmless_system_calls();
    if (std::find(harmless.begin(), harmless.end(), number) != harmless.end()) return Next::Resume;
    const auto absent = absent_system_calls();
    if (std::find(absent.begin(), absent.end(), number) != absent.end()) return answer(thread, -ENOSYS);
    refuse(thread, system_call_name(number));
}

void Run::refuse(const VirtualThread& /*thread*/, const std::string& what) const {
    throw Error("The program makes the system call " + what +
                ", which coopcheck does not model; it cannot be checked.");
}

Run::Next Run::answer(VirtualThread& thread, std::int64_t result) {
    // The number -1 makes the kernel skip the call and keep what we put into the result register.
    thread.registers.orig_rax = ~0ULL;
    thread.registers.rax = static_cast<std::uint64_t>(result);
    return Next::ResumeChanged;
}

Run::Next Run::park_at_system_call(VirtualThread& thread, const Operation& operation, VirtualTime deadline) {
    return park_at_system_call(thread, operation, {.at = Parking::At::SystemCall, .deadline = deadline});
}

Run::Next Run::park_at_system_call(VirtualThread& thread, Operation operation, const Parking& parking) {
    operation.site =
        site_of({RemoteAddress{thread.registers.rip}, thread.registers.rsp, thread.registers.rbp});
    return park(thread, operation, parking);
}

Run::Next Run::on_futex(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const RemoteAddress word{registers.rdi};
    const auto command = static_cast<int>(registers.rsi) & FUTEX_CMD_MASK;
    const bool once_ends =
        !thread.once_running.empty() && thread.once_running.back() == word && command == FUTEX_WAKE;
    if (once_ends) {
        // pthread_once wakes its waiters whenever its routine has ended, by return or by exception; the word
        // tells which.
        constexpr std::uint32_t once_done = 2;
        const auto value = memory_.read_value<std::uint32_t>(word);
        const bool done = value && value.value() == once_done;
        Operation operation{.kind = done ? OpKind::OnceDone : OpKind::OnceAbort};
        operation.object = object_at(thread, word, ObjectClass::Once, {});
        if (do_quietly(thread, operation)) {
            thread.once_running.pop_back();
            return answer(thread, 0);
        }
        return park_at_system_call(thread, operation);
    }
    Operation operation;
    VirtualTime deadline = 0;
    switch (command) {
        case FUTEX_WAIT:
        case FUTEX_WAIT_BITSET:
            operation.kind = OpKind::FutexWait;
            operation.location = Location::memory(registers.rdi);
            if (registers.r10 != 0) {
                const auto time = memory_.read_value<timespec>(RemoteAddress{registers.r10});
                if (!time) return answer(thread, -EFAULT);
                operation.timed = true;
                deadline = command == FUTEX_WAIT ? state_.clock.from_relative(time.value())
                                                 : VirtualClock::from_absolute(time.value());
            }
            break;
        case FUTEX_WAKE:
        case FUTEX_WAKE_BITSET:
            operation.kind = OpKind::FutexWake;
            operation.value = static_cast<int>(registers.rdx);
            break;
        default:
            throw Error("The program makes the futex system call with operation " + std::to_string(command) +
                        ", which coopcheck does not model (it models wait and wake); it cannot be checked.");
    }
    const bool has_bitset = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
    if (has_bitset && static_cast<std::uint32_t>(registers.r9) != FUTEX_BITSET_MATCH_ANY) {
        throw Error(
            "The program waits on a futex with a bit set, which coopcheck does not model; it cannot be "
            "checked.");
    }
    if (!memory_.read_value<std::uint32_t>(word)) return answer(thread, -EFAULT);
    operation.object = object_at(thread, word, ObjectClass::Futex, {});
    if (const auto outcome = do_quietly(thread, operation)) return answer(thread, outcome->result);
    return park_at_system_call(thread, operation, deadline);
}

Run::Next Run::on_yield(VirtualThread& thread) {
    return park_at_system_call(thread, {.kind = OpKind::Yield});
}

Run::Next Run::on_exit(VirtualThread& thread) {
    return park_at_system_call(thread, {.kind = OpKind::ThreadExit});
}

Run::Next Run::on_exit_group(VirtualThread& thread) {
    constexpr std::uint64_t exit_code_bits = 0xff;
    return park_at_system_call(thread,
                               {.kind = OpKind::ProcessExit,
                                .value = static_cast<std::int64_t>(thread.registers.rdi & exit_code_bits)});
}

Run::Next Run::on_map(VirtualThread& thread) {
    user_regs_struct& registers = thread.registers;
    // Then this is called again.
    if (see_new_code(thread)) return forbid_time_stamps(thread);
    if ((registers.r10 & MAP_SHARED) != 0 && (registers.rdx & PROT_WRITE) != 0)
        state_.cannot_be_copied = true;
    if (registers.rdi != 0) return Next::Resume;
    constexpr std::uint64_t page = 4096;
    const std::uint64_t size = (registers.rsi + page - 1) / page * page;
    const std::uint64_t range = thread.id.index();
    const bool fits = range < scratch::thread_range_count && size < scratch::thread_range_size &&
                      thread.range_used + size + page < scratch::thread_range_size;
    if (!state_.started || !fits || size == 0 || (registers.r10 & MAP_32BIT) != 0) return Next::Resume;
    registers.rdi = number(scratch::thread_ranges + range * scratch::thread_range_size + thread.range_used);
    thread.range_used += size + page;
    return Next::ResumeChanged;
}

Run::Next Run::on_shared_memory(VirtualThread& /*thread*/) {
    state_.cannot_be_copied = true;
    return Next::Resume;
}

Run::Next Run::on_clone(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    if (registers.orig_rax == SYS_fork || registers.orig_rax == SYS_vfork) return Next::Resume;
    std::uint64_t flags = registers.rdi;
    if (registers.orig_rax == SYS_clone3) {
        const auto arguments = memory_.read_value<clone_args>(RemoteAddress{registers.rdi});
        if (!arguments) return answer(thread, -EFAULT);
        flags = arguments.value().flags;
    }
    if ((flags & CLONE_THREAD) == 0) return Next::Resume;  // a process: see on_fork
    Operation operation{.kind = OpKind::ThreadCreate};
    operation.thread = session_->names.threads.child(thread.id, thread.children + 1);
    if (!thread.is_in_pthread_create()) {
        refuse_hidden_locks(state_.loaded->modules);
        state_.started = true;
        return park_at_system_call(thread, operation);
    }
    operation.value = parked_entry(thread.id).operation.value;
    created_ = state_.model.apply(thread.id, operation, Variant::normal());
    const std::int64_t result = give_birth(thread);
    end_creation(thread);
    return answer(thread, result);
}

Run::Next Run::on_request(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    switch (static_cast<Request>(registers.orig_rax)) {
        case Request::Assert: {
            std::string message = memory_.read_string(RemoteAddress{registers.rdi});
            const std::string file = memory_.read_string(RemoteAddress{registers.rsi});
            if (!file.empty()) message = file + ":" + std::to_string(registers.rdx) + ": " + message;
            return fail(thread, FindingKind::Assertion, std::move(message), site_of_instruction(thread));
        }
        case Request::Choose:
            return park_at_system_call(thread, {.kind = OpKind::Choose,
                                                .value = static_cast<std::int64_t>(registers.rdi & INT_MAX)});
        case Request::Yield:
            return park_at_system_call(thread, {.kind = OpKind::Yield});
        case Request::RegionBegin:
            state_.region_begun = true;
            return answer(thread, 0);
        case Request::RegionEnd:
            state_.region_ended = true;
            return answer(thread, 0);
        case Request::Count_:
            break;
    }
    return answer(thread, -ENOSYS);
}

void Run::complete_system_call(VirtualThread& thread, const Operation& operation, const Outcome& outcome) {
    user_regs_struct& registers = thread.registers;
    if (outcome.cancelled && !thread.pending_signals.empty()) {
        // libc cancels a thread in a system call by a signal, which now comes.
        registers.orig_rax = ~0ULL;
        registers.rax = static_cast<std::uint64_t>(-EINTR);
        return;
    }
    if (outcome.cancelled) {
        // As if the system call were a call of pthread_testcancel, which does not return. Below the red zone.
        constexpr std::uint64_t red_zone = 128;
        registers.rsp = ((registers.rsp - red_zone) & ~std::uint64_t{15}) - sizeof(std::uint64_t);
        static_cast<void>(memory_.write_value(RemoteAddress{registers.rsp}, registers.rip));
        unwind_cancelled(thread);
        return;
    }
    std::uint64_t result = 0;
    switch (operation.kind) {
        case OpKind::Output:
            result = record_output(thread);
            if (state_.watching) {
                note_system_call(thread, static_cast<long>(registers.orig_rax),
                                 static_cast<std::int64_t>(result));
            }
            break;
        case OpKind::FutexWait:
        case OpKind::FutexResume:
            result = static_cast<std::uint64_t>(-std::int64_t{outcome.result});
            break;
        case OpKind::SystemCall: {
            const std::int64_t taken = outcome.result == ETIMEDOUT ? -EAGAIN : take_awaited_signal(thread);
            if (thread.passes_filter) return;  // the kernel does it
            result = static_cast<std::uint64_t>(taken);
            break;
        }
        case OpKind::FutexWake:
        case OpKind::Choose:
            result = static_cast<std::uint64_t>(outcome.result);
            break;
        case OpKind::OnceDone:
        case OpKind::OnceAbort:
            thread.once_running.pop_back();
            break;
        case OpKind::ThreadCreate:
            activate(thread);  // the child inherits what the kernel thread has
            created_ = state_.model.apply(thread.id, operation, Variant::normal());
            result = static_cast<std::uint64_t>(give_birth(thread));
            break;
        default:
            break;
    }
    registers.orig_rax = ~0ULL;
    registers.rax = result;
}

}  // namespace coopcheck::tracer
