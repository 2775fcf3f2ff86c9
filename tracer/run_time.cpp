// Time: clocks that only the program's own steps move, sleeps that take none.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>

#include <algorithm>
#include <cerrno>

#include "tracer/run.hpp"

namespace coopcheck::tracer {

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

Run::Next Run::interrupt_sleep(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const bool with_clock = registers.orig_rax == SYS_clock_nanosleep;
    const bool is_sleep = with_clock || registers.orig_rax == SYS_nanosleep;
    const bool absolute = with_clock && (registers.rsi & TIMER_ABSTIME) != 0;
    const RemoteAddress where{with_clock ? registers.r10 : registers.rsi};
    if (is_sleep && !absolute && where != null_address) {
        const VirtualTime left = std::max<VirtualTime>(thread.parking.deadline - state_.clock.now(), 0);
        static_cast<void>(memory_.write_value(where, VirtualClock::to_timespec(left)));
    }
    return answer(thread, -EINTR);
}

Run::Next Run::on_times(VirtualThread& thread) {
    // The process has been at work all the time, and has cost nothing else.
    const user_regs_struct& registers = thread.registers;
    const timespec now = state_.clock.look(CLOCK_PROCESS_CPUTIME_ID);
    if (registers.orig_rax == SYS_getrusage) {
        rusage usage{};
        usage.ru_utime = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
        return answer(thread, memory_.write_value(RemoteAddress{registers.rsi}, usage) ? -EFAULT : 0);
    }
    constexpr long ticks_per_second = 100;
    const clock_t ticks = now.tv_sec * ticks_per_second + now.tv_nsec / (1'000'000'000 / ticks_per_second);
    const tms usage{.tms_utime = ticks, .tms_stime = 0, .tms_cutime = 0, .tms_cstime = 0};
    if (registers.rdi != 0 && memory_.write_value(RemoteAddress{registers.rdi}, usage))
        return answer(thread, -EFAULT);
    return answer(thread, ticks);
}

}  // namespace coopcheck::tracer
