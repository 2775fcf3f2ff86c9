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

#include "core/check.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"
#include "tracer/system_call_filter.hpp"

namespace coopcheck::tracer {

/// One row per system call that the filter stops.
struct Run::SystemCallRow {
    long number;
    Next (Run::*handler)(VirtualThread&);
};

namespace {

/// Far more than any sane write; what is asked for comes from the target.
constexpr std::uint64_t largest_transfer = std::uint64_t{64} << 20U;

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31U);
}

}  // namespace

const Run::SystemCallRow* Run::find_row(long system_call) {
    static constexpr std::array rows{
        SystemCallRow{SYS_futex, &Run::on_futex},
        SystemCallRow{SYS_futex_waitv, &Run::on_unmodelled},
        SystemCallRow{futex_wake_call, &Run::on_unmodelled},
        SystemCallRow{futex_wait_call, &Run::on_unmodelled},
        SystemCallRow{futex_requeue_call, &Run::on_unmodelled},
        SystemCallRow{SYS_semop, &Run::on_unmodelled},
        SystemCallRow{SYS_semtimedop, &Run::on_unmodelled},
        SystemCallRow{SYS_write, &Run::on_output},
        SystemCallRow{SYS_writev, &Run::on_output},
        SystemCallRow{SYS_mmap, &Run::on_map},
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
    const SystemCallRow* row = find_row(static_cast<long>(thread.registers.orig_rax));
    return row == nullptr ? Next::Resume : (this->*row->handler)(thread);
}

Run::Next Run::answer(VirtualThread& thread, std::int64_t result) {
    // The number -1 makes the kernel skip the call and keep what we put into the result register.
    thread.registers.orig_rax = ~0ULL;
    thread.registers.rax = static_cast<std::uint64_t>(result);
    return Next::ResumeChanged;
}

Run::Next Run::park_at_system_call(VirtualThread& thread, Operation operation, VirtualTime deadline) {
    operation.site =
        site_of({RemoteAddress{thread.registers.rip}, thread.registers.rsp, thread.registers.rbp});
    return park(thread, operation, {.at = Parking::At::SystemCall, .deadline = deadline});
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

Run::Next Run::on_unmodelled(VirtualThread& thread) {
    throw Error("The program makes the system call " +
                system_call_name(static_cast<int>(thread.registers.orig_rax)) +
                ", by which threads synchronize and which coopcheck does not model; it cannot be checked.");
}

Run::Next Run::on_sleep(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const bool with_clock = registers.orig_rax == SYS_clock_nanosleep;
    const auto time = memory_.read_value<timespec>(RemoteAddress{with_clock ? registers.rdx : registers.rdi});
    if (!time) return answer(thread, -EFAULT);
    constexpr long second_ns = 1'000'000'000;
    if (time.value().tv_sec < 0 || time.value().tv_nsec < 0 || time.value().tv_nsec >= second_ns) {
        return answer(thread, -EINVAL);
    }
    const bool absolute = with_clock && (registers.rsi & TIMER_ABSTIME) != 0;
    const VirtualTime end =
        absolute ? VirtualClock::from_absolute(time.value()) : state_.clock.from_relative(time.value());
    return park_at_system_call(thread, {.kind = OpKind::Sleep}, end);
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

Run::Next Run::on_output(VirtualThread& thread) {
    const auto file = static_cast<std::uint32_t>(thread.registers.rdi);
    return park_at_system_call(thread, {.kind = OpKind::Output, .location = Location::output(file)});
}

std::uint64_t Run::record_output(const VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    std::string& output = state_.output[registers.rdi == 2 ? 1 : 0];
    std::vector<iovec> pieces;
    if (registers.orig_rax == SYS_write) {
        pieces.push_back({reinterpret_cast<void*>(registers.rsi), registers.rdx});
    } else {
        pieces.resize(std::min<std::uint64_t>(registers.rdx, IOV_MAX));
        if (memory_.read(RemoteAddress{registers.rsi}, std::as_writable_bytes(std::span(pieces)))) {
            return static_cast<std::uint64_t>(-EFAULT);
        }
    }
    std::uint64_t total = 0;
    for (const iovec& piece : pieces) {
        const std::uint64_t size = std::min<std::uint64_t>(piece.iov_len, largest_transfer);
        const std::size_t before = output.size();
        output.resize(before + size);
        const auto room = std::as_writable_bytes(std::span(output).subspan(before));
        if (memory_.read(RemoteAddress{reinterpret_cast<std::uint64_t>(piece.iov_base)}, room)) {
            output.resize(before);
            return total > 0 ? total : static_cast<std::uint64_t>(-EFAULT);
        }
        total += size;
    }
    return total;
}

Run::Next Run::on_input(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    RemoteAddress to{registers.rsi};
    std::uint64_t wanted = registers.rdx;
    if (registers.orig_rax == SYS_readv) {
        // A short read is always allowed: the first piece is enough.
        const auto piece = memory_.read_value<iovec>(to);
        if (!piece) return answer(thread, -EFAULT);
        to = RemoteAddress{reinterpret_cast<std::uint64_t>(piece.value().iov_base)};
        wanted = piece.value().iov_len;
    }
    const std::string& input = session_->input();
    const std::size_t count = std::min<std::uint64_t>(wanted, input.size() - state_.input_read);
    if (memory_.write(to, std::as_bytes(std::span(input).subspan(state_.input_read, count)))) {
        return answer(thread, -EFAULT);
    }
    state_.input_read += count;
    return answer(thread, static_cast<std::int64_t>(count));
}

Run::Next Run::on_clock(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    std::error_code error;
    std::int64_t result = 0;
    switch (registers.orig_rax) {
        case SYS_clock_gettime:
            error = memory_.write_value(RemoteAddress{registers.rsi},
                                        state_.clock.look(static_cast<clockid_t>(registers.rdi)));
            break;
        case SYS_gettimeofday: {
            const timespec now = state_.clock.look(CLOCK_REALTIME);
            const timeval value{now.tv_sec, now.tv_nsec / 1000};
            if (registers.rdi != 0) error = memory_.write_value(RemoteAddress{registers.rdi}, value);
            break;
        }
        default:
            result = state_.clock.look(CLOCK_REALTIME).tv_sec;
            if (registers.rdi != 0) error = memory_.write_value(RemoteAddress{registers.rdi}, result);
    }
    return answer(thread, error ? -EFAULT : result);
}

Run::Next Run::on_random(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(registers.rsi, largest_transfer));
    for (std::uint8_t& byte : bytes) {
        // A sequence of its own for each thread, so that it does not depend on what others draw.
        thread.random_drawn += 1;
        byte = static_cast<std::uint8_t>(
            mix((static_cast<std::uint64_t>(thread.kernel_id) << 40U) + thread.random_drawn));
    }
    if (memory_.write(RemoteAddress{registers.rdi}, std::as_bytes(std::span(bytes))))
        return answer(thread, -EFAULT);
    return answer(thread, static_cast<std::int64_t>(bytes.size()));
}

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

Run::Next Run::on_send_signal(VirtualThread& thread) {
    user_regs_struct& registers = thread.registers;
    const auto real = static_cast<std::uint64_t>(static_cast<pid_t>(process_.id()));
    const int own_process = state_.threads.front().kernel_id;
    const auto first = static_cast<int>(registers.rdi);
    if (registers.orig_rax == SYS_kill) {
        if (first == own_process || first == 0 || first == -own_process) {
            registers.rdi = real;
            return Next::ResumeChanged;
        }
        // The program's idea of who its parent is is ours; a signal to it must not reach anybody.
        if (first <= 1 || first == own_process - 1) return answer(thread, -EPERM);
        return Next::Resume;
    }
    const bool names_process = registers.orig_rax != SYS_tkill;
    const auto wanted = static_cast<int>(names_process ? registers.rsi : registers.rdi);
    const auto signal = static_cast<int>(names_process ? registers.rdx : registers.rsi);
    if (names_process && first != own_process) return answer(thread, -ESRCH);
    VirtualThread* target = thread_with_kernel_id(wanted);
    if (target == nullptr) return answer(thread, -ESRCH);
    if (target != &thread) {
        if (signal != 0) target->pending_signals.push_back(signal);
        return answer(thread, 0);
    }
    registers.rdi = real;
    if (names_process) registers.rsi = real;
    return Next::ResumeChanged;
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

// NOLINTNEXTLINE(readability-make-member-function-const): a row of the table, as the others are
Run::Next Run::on_map(VirtualThread& thread) {
    user_regs_struct& registers = thread.registers;
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

Run::Next Run::on_open(VirtualThread& /*thread*/) {
    if (state_.started) state_.has_files = true;
    return Next::Resume;
}

Run::Next Run::on_alternate_stack(VirtualThread& thread) {
    // The kernel does it for the one kernel thread; activate() does it again when another thread comes in
    // between.
    if (const RemoteAddress wanted{thread.registers.rdi}; wanted != null_address) {
        if (const auto stack = memory_.read_value<stack_t>(wanted)) thread.alternate_stack = stack.value();
    }
    return Next::Resume;
}

Run::Next Run::on_clone(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    std::uint64_t flags = registers.rdi;
    if (registers.orig_rax == SYS_clone3) {
        const auto arguments = memory_.read_value<clone_args>(RemoteAddress{registers.rdi});
        if (!arguments) return answer(thread, -EFAULT);
        flags = arguments.value().flags;
    }
    if ((flags & CLONE_THREAD) == 0) return Next::Resume;  // a process: see on_fork
    Operation operation{.kind = OpKind::ThreadCreate};
    operation.thread = session_->names.threads.child(thread.id, thread.children + 1);
    const bool in_pthread_create = thread.native_call &&
                                   thread.native_call->hook->kind == OpKind::ThreadCreate &&
                                   RemoteAddress{registers.rsp} <= thread.native_call->stack;
    if (!in_pthread_create) {
        state_.started = true;
        return park_at_system_call(thread, operation);
    }
    operation.value = parked_entry(thread.id).operation.value;
    created_ = state_.model.apply(thread.id, operation, Variant::normal());
    return answer(thread, give_birth(thread));
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
            break;
        case OpKind::FutexWait:
        case OpKind::FutexResume:
            result = static_cast<std::uint64_t>(-std::int64_t{outcome.result});
            break;
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
