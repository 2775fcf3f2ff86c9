// Timers: they expire when the virtual clock has passed them, or when nothing else can happen first.
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>

#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

constexpr VirtualTime never = std::numeric_limits<VirtualTime>::max();

VirtualTime to_time(const timespec& time) { return VirtualTime{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

timespec to_timespec(const timeval& time) { return {.tv_sec = time.tv_sec, .tv_nsec = time.tv_usec * 1000}; }

bool counts_work(int clock) {
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

}  // namespace

VirtualTimer* Run::find_timer(VirtualTimer::Kind kind, int id) {
    const auto found =
        std::find_if(state_.timers.begin(), state_.timers.end(),
                     [&](const VirtualTimer& timer) { return timer.kind == kind && timer.id == id; });
    return found == state_.timers.end() ? nullptr : &*found;
}

VirtualTimer& Run::timer(VirtualTimer::Kind kind, int id) {
    if (VirtualTimer* known = find_timer(kind, id)) return *known;
    VirtualTimer& made = state_.timers.emplace_back();
    made.kind = kind;
    made.id = id;
    return made;
}

itimerspec Run::remaining(const VirtualTimer& timer) const {
    itimerspec left{};
    left.it_interval = VirtualClock::to_timespec(timer.interval);
    // A timer that is armed never says 0.
    if (timer.deadline != 0) {
        left.it_value =
            VirtualClock::to_timespec(std::max<VirtualTime>(timer.deadline - state_.clock.now(), 1));
    }
    return left;
}

void Run::arm(VirtualTimer& timer, const itimerspec& how, bool absolute) const {
    timer.interval = to_time(how.it_interval);
    if (to_time(how.it_value) == 0) {
        timer.deadline = 0;
        return;
    }
    const VirtualTime when =
        absolute ? VirtualClock::from_absolute(how.it_value) : state_.clock.from_relative(how.it_value);
    timer.deadline = std::max<VirtualTime>(when, 1);
}

Run::Next Run::on_alarm(VirtualThread& thread) {
    VirtualTimer& alarm = timer(VirtualTimer::Kind::Interval, ITIMER_REAL);
    const timespec left = remaining(alarm).it_value;
    alarm.expiry = VirtualTimer::Expiry::SignalToProcess;
    alarm.signal = {.number = SIGALRM};
    alarm.signal.info.si_signo = SIGALRM;
    alarm.signal.info.si_code = SI_KERNEL;
    arm(alarm,
        {.it_interval = {},
         .it_value = {.tv_sec = static_cast<time_t>(thread.registers.rdi & UINT32_MAX), .tv_nsec = 0}},
        false);
    // Rounded up: alarm() never says 0 of one that is still to come.
    return answer(thread, left.tv_sec + (left.tv_nsec != 0 ? 1 : 0));
}

Run::Next Run::on_interval_timer(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const auto which = static_cast<int>(registers.rdi);
    if (which < ITIMER_REAL || which > ITIMER_PROF) return answer(thread, -EINVAL);
    const bool sets = registers.orig_rax == SYS_setitimer;
    VirtualTimer& chosen = timer(VirtualTimer::Kind::Interval, which);
    const itimerspec left = remaining(chosen);
    if (const RemoteAddress old{sets ? registers.rdx : registers.rsi}; old != null_address) {
        const itimerval value{{left.it_interval.tv_sec, left.it_interval.tv_nsec / 1000},
                              {left.it_value.tv_sec, left.it_value.tv_nsec / 1000}};
        if (memory_.write_value(old, value)) return answer(thread, -EFAULT);
    }
    if (!sets) return answer(thread, 0);
    itimerval how{};
    if (registers.rsi != 0) {
        const auto given = memory_.read_value<itimerval>(RemoteAddress{registers.rsi});
        if (!given) return answer(thread, -EFAULT);
        how = given.value();
    }
    chosen.measures_work = which != ITIMER_REAL;
    chosen.expiry = VirtualTimer::Expiry::SignalToProcess;
    chosen.signal = {.number = SIGALRM};
    chosen.signal.info.si_signo = SIGALRM;
    chosen.signal.info.si_code = SI_KERNEL;
    arm(chosen, {to_timespec(how.it_interval), to_timespec(how.it_value)}, false);
    return answer(thread, 0);
}

Run::Next Run::on_timer_create(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const auto id = static_cast<int>(state_.timers_made);
    VirtualTimer made;
    made.kind = VirtualTimer::Kind::Posix;
    made.id = id;
    made.measures_work = counts_work(static_cast<int>(registers.rdi));
    made.expiry = VirtualTimer::Expiry::SignalToProcess;
    made.signal.number = SIGALRM;
    made.signal.info.si_value.sival_int = id;
    if (registers.rsi != 0) {
        const auto event = memory_.read_value<sigevent>(RemoteAddress{registers.rsi});
        if (!event) return answer(thread, -EFAULT);
        made.signal.number = event.value().sigev_signo;
        made.signal.info.si_value = event.value().sigev_value;
        if (event.value().sigev_notify == SIGEV_NONE) made.expiry = VirtualTimer::Expiry::Nothing;
        if (event.value().sigev_notify == SIGEV_THREAD_ID) {
            made.expiry = VirtualTimer::Expiry::SignalToThread;
            made.thread = event.value()._sigev_un._tid;
        }
    }
    made.signal.info.si_signo = made.signal.number;
    made.signal.info.si_code = SI_TIMER;
    made.signal.info.si_timerid = id;
    if (memory_.write_value(RemoteAddress{registers.rdx}, id)) return answer(thread, -EFAULT);
    state_.timers_made += 1;
    state_.timers.push_back(made);
    return answer(thread, 0);
}

Run::Next Run::on_timer(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const bool is_file =
        registers.orig_rax == SYS_timerfd_settime || registers.orig_rax == SYS_timerfd_gettime;
    const auto id = static_cast<int>(registers.rdi);
    VirtualTimer* known =
        is_file ? &timer(VirtualTimer::Kind::File, id) : find_timer(VirtualTimer::Kind::Posix, id);
    if (known == nullptr) return answer(thread, -EINVAL);
    if (is_file) known->expiry = VirtualTimer::Expiry::FileReady;
    const auto tell = [&](std::uint64_t where) {
        return where == 0 || !memory_.write_value(RemoteAddress{where}, remaining(*known));
    };
    switch (registers.orig_rax) {
        case SYS_timer_settime:
        case SYS_timerfd_settime: {
            const auto how = memory_.read_value<itimerspec>(RemoteAddress{registers.rdx});
            if (!how || !tell(registers.r10)) return answer(thread, -EFAULT);
            if (is_file) {
                // What had expired and was not read is forgotten.
                static_cast<void>(memory_.write_value(scratch::data, itimerspec{}));
                const std::int64_t result =
                    call_in_target(SYS_timerfd_settime, registers.rdi, 0, number(scratch::data));
                if (result != 0) return answer(thread, result);
            }
            arm(*known, how.value(), (registers.rsi & TIMER_ABSTIME) != 0);
            return answer(thread, 0);
        }
        case SYS_timer_gettime:
        case SYS_timerfd_gettime:
            return answer(thread, tell(registers.rsi) ? 0 : -EFAULT);
        case SYS_timer_delete:
            std::erase_if(state_.timers, [&](const VirtualTimer& timer) { return &timer == known; });
            return answer(thread, 0);
        default:
            return answer(thread, 0);  // timer_getoverrun: signals are taken before the next one comes
    }
}

VirtualTime Run::next_expiry() const {
    VirtualTime next = never;
    for (const VirtualTimer& timer : state_.timers) {
        if (timer.armed()) next = std::min(next, timer.deadline);
    }
    return next;
}

void Run::fire_timers() {
    for (VirtualTimer& timer : state_.timers) {
        if (!timer.armed() || timer.deadline > state_.clock.now()) continue;
        timer.deadline = timer.interval == 0 ? 0 : state_.clock.now() + timer.interval;
        switch (timer.expiry) {
            case VirtualTimer::Expiry::Nothing:
                break;
            case VirtualTimer::Expiry::SignalToProcess:
                send_to_process(timer.signal);
                break;
            case VirtualTimer::Expiry::SignalToThread:
                if (VirtualThread* thread = thread_with_kernel_id(timer.thread))
                    send_to_thread(*thread, timer.signal);
                break;
            case VirtualTimer::Expiry::FileReady:
                // To the kernel it expires now.
                static_cast<void>(
                    memory_.write_value(scratch::data, itimerspec{{}, {.tv_sec = 0, .tv_nsec = 1}}));
                call_in_target(SYS_timerfd_settime, static_cast<std::uint64_t>(timer.id), 0,
                               number(scratch::data));
                break;
        }
    }
}

VirtualTime Run::order_time_limits() {
    // Limits this close together run out in any order: which of them is earlier only tells whose thread
    // looked at the clock first, which is not an operation that the search orders.
    constexpr VirtualTime close_together = 10'000'000;
    VirtualTime first = never;
    for (ParkedThread& parked : state_.parked) {
        parked.operation.outlasted = false;
        if (state_.model.can_time_out(parked.thread, parked.operation))
            first = std::min(first, thread_of(parked.thread).parking.deadline);
    }
    for (ParkedThread& parked : state_.parked) {
        parked.operation.outlasted = parked.operation.timed && first != never &&
                                     thread_of(parked.thread).parking.deadline > first + close_together;
    }
    return first;
}

void Run::let_time_pass() {
    const auto is_enabled = [&](const ParkedThread& parked) {
        return state_.model.enabled(parked.thread, parked.operation);
    };
    // A timer that repeats and that nobody minds must not keep us here.
    constexpr int patience = 100;
    for (int round = 0; round < patience; ++round) {
        fire_timers();
        refresh_parked_calls();
        const VirtualTime limit = order_time_limits();
        if (std::any_of(state_.parked.begin(), state_.parked.end(), is_enabled)) return;
        const VirtualTime next = next_expiry();
        if (next == never || next > limit) return;
        state_.clock.advance_to(next);
    }
}

}  // namespace coopcheck::tracer
