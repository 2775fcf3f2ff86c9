// Signals: each virtual thread has its own mask, its own pending signals and its own alternate stack. The
// kernel is given a signal only when the thread it is for is the one that runs and does not block it, so it
// never has one pending that another thread could take.
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

#include "core/error.hpp"
#include "tracer/run.hpp"
#include "tracer/system_calls.hpp"

namespace coopcheck::tracer {

namespace {

/// libc's own: cancels a thread. The model of cancellation decides when, not the signal.
constexpr int cancel_signal = 32;

void add(std::vector<PendingSignal>& pending, const PendingSignal& signal) {
    const bool queues = signal.number >= cancel_signal;
    const bool known = std::any_of(pending.begin(), pending.end(),
                                   [&](const PendingSignal& other) { return other.number == signal.number; });
    if (queues || !known) pending.push_back(signal);
}

std::optional<PendingSignal> take(std::vector<PendingSignal>& pending, SignalSet wanted) {
    const auto found = std::find_if(pending.begin(), pending.end(), [&](const PendingSignal& signal) {
        return contains(wanted, signal.number);
    });
    if (found == pending.end()) return std::nullopt;
    const PendingSignal signal = *found;
    pending.erase(found);
    return signal;
}

SignalSet as_set(const std::vector<PendingSignal>& pending) {
    SignalSet set = 0;
    for (const PendingSignal& signal : pending) set |= set_of(signal.number);
    return set;
}

}  // namespace

SignalSet Run::mask_of(const VirtualThread& thread) const {
    if (&thread != &state_.threads[state_.current]) return thread.signal_mask;
    const auto mask = ptrace::get_signal_mask(process_.id());
    return mask ? mask.value() : 0;
}

void Run::hand_over_signals(VirtualThread& thread, SignalSet mask) {
    for (auto* pending : {&thread.pending_signals, &state_.process_signals}) {
        while (const auto signal = take(*pending, ~mask)) {
            thread.signals_handed_over.push_back(*signal);
            const auto process = static_cast<pid_t>(process_.id());
            ::syscall(SYS_tgkill, process, process, signal->number);
        }
    }
}

void Run::restore_signal_info(VirtualThread& thread, int signal) {
    // A handler that looks who sent the signal (libc's for cancellation does) must see the process id that
    // the program believes to have, whether the program sent it or we did in its name.
    if (const auto original = take(thread.signals_handed_over, set_of(signal))) {
        static_cast<void>(ptrace::set_signal_info(process_.id(), original->info));
        return;
    }
    const auto info = ptrace::get_signal_info(process_.id());
    if (!info || info.value().si_code > 0 || info.value().si_pid != static_cast<pid_t>(process_.id())) return;
    siginfo_t seen = info.value();
    seen.si_pid = state_.threads.front().kernel_id;
    static_cast<void>(ptrace::set_signal_info(process_.id(), seen));
}

void Run::interrupt(VirtualThread& thread) {
    if (thread.parking.at == Parking::At::Interrupted) return;
    ParkedThread& parked = parked_entry(thread.id);
    const bool waits =
        !state_.model.enabled(thread.id, parked.operation) || parked.operation.kind == OpKind::Sleep;
    thread.interruptions.push_back({thread.registers, thread.parking, parked.operation, waits});
    thread.parking = {.at = Parking::At::Interrupted};
    parked.operation = {.kind = OpKind::SystemCall,
                        .object = session_->names.objects.intern("a signal handler"),
                        .location = Location::kernel(),
                        .value = 1,
                        .site = parked.operation.site};
}

void Run::send_to_thread(VirtualThread& thread, const PendingSignal& signal) {
    const TargetSignals signals = read_signals(process_.id());
    const SignalSet mask = thread.parking.suspended_mask.value_or(mask_of(thread));
    const bool does_something = contains(signals.caught, signal.number) || signals.is_fatal(signal.number);
    if (!does_something && !contains(mask, signal.number)) return;
    add(thread.pending_signals, signal);
    if (thread.id != running_ && does_something && !contains(mask, signal.number) &&
        signal.number != cancel_signal)
        interrupt(thread);
}

void Run::send_to_process(const PendingSignal& signal) {
    // The kernel prefers the main thread too.
    for (VirtualThread& thread : state_.threads) {
        if (!thread.live || contains(thread.parking.suspended_mask.value_or(mask_of(thread)), signal.number))
            continue;
        send_to_thread(thread, signal);
        return;
    }
    add(state_.process_signals, signal);
}

Run::Next Run::on_send_signal(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const int own_process = state_.threads.front().kernel_id;
    const auto call = registers.orig_rax;
    const auto first = static_cast<int>(registers.rdi);
    const bool to_process = call == SYS_kill || call == SYS_rt_sigqueueinfo;
    const bool names_both = call == SYS_tgkill || call == SYS_rt_tgsigqueueinfo;
    PendingSignal signal;
    signal.number = static_cast<int>(names_both ? registers.rdx : registers.rsi);
    signal.info.si_signo = signal.number;
    signal.info.si_code = to_process ? SI_USER : SI_TKILL;
    signal.info.si_pid = own_process;
    signal.info.si_uid = ::getuid();
    if (call == SYS_rt_sigqueueinfo || call == SYS_rt_tgsigqueueinfo) {
        const RemoteAddress where{names_both ? registers.r10 : registers.rdx};
        const auto info = memory_.read_value<siginfo_t>(where);
        if (!info) return answer(thread, -EFAULT);
        signal.info = info.value();
        signal.info.si_signo = signal.number;
    }
    if (signal.number < 0 || signal.number > 64) return answer(thread, -EINVAL);

    if (to_process) {
        const bool to_itself = first == own_process || first == 0 || first == -own_process;
        // The program's idea of who its parent is is ours; a signal to it must not reach anybody.
        if (!to_itself && (first <= 1 || first == own_process - 1)) return answer(thread, -EPERM);
        if (!to_itself) return Next::Resume;  // a child of its own
        if (signal.number != 0) send_to_process(signal);
    } else {
        if (names_both && first != own_process) return answer(thread, -ESRCH);
        VirtualThread* target = thread_with_kernel_id(names_both ? static_cast<int>(registers.rsi) : first);
        if (target == nullptr) return answer(thread, -ESRCH);
        if (signal.number != 0) send_to_thread(*target, signal);
    }
    hand_over_signals(thread, mask_of(thread));
    return answer(thread, 0);
}

Run::Next Run::on_signal_mask(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    if ((thread.pending_signals.empty() && state_.process_signals.empty()) || registers.rsi == 0)
        return Next::Resume;
    const auto set = memory_.read_value<SignalSet>(RemoteAddress{registers.rsi});
    if (!set) return Next::Resume;
    SignalSet mask = mask_of(thread);
    switch (registers.rdi) {
        case SIG_BLOCK:
            mask |= set.value();
            break;
        case SIG_UNBLOCK:
            mask &= ~set.value();
            break;
        default:
            mask = set.value();
    }
    hand_over_signals(thread, mask);  // the kernel delivers them when it opens the mask
    return Next::Resume;
}

Run::Next Run::on_signal_action(VirtualThread& thread) {
    // struct sigaction of the kernel: handler, flags.
    constexpr std::uint64_t flags_at = 8;
    const user_regs_struct& registers = thread.registers;
    const auto signal = static_cast<int>(registers.rdi);
    if (registers.rsi == 0 || signal < 1 || signal > 64) return Next::Resume;
    const auto flags = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsi} + flags_at);
    if (!flags) return Next::Resume;
    const bool restarts = (flags.value() & SA_RESTART) != 0;
    state_.restarting_signals =
        restarts ? state_.restarting_signals | set_of(signal) : state_.restarting_signals & ~set_of(signal);
    return Next::Resume;
}

Run::Next Run::on_signal_return(VirtualThread& thread) {
    // What was interrupted natively is none of our business: only the frame of an interruption of ours
    // returns to where the thread was parked. At the system call the stack pointer points to the frame's
    // ucontext.
    if (thread.interruptions.empty()) return Next::Resume;
    std::array<greg_t, NGREG> frame{};
    const RemoteAddress where = RemoteAddress{thread.registers.rsp} + offsetof(ucontext_t, uc_mcontext.gregs);
    if (memory_.read(where, std::as_writable_bytes(std::span(frame)))) return Next::Resume;
    const user_regs_struct& before = thread.interruptions.back().registers;
    if (static_cast<std::uint64_t>(frame[REG_RSP]) != before.rsp ||
        static_cast<std::uint64_t>(frame[REG_RIP]) != before.rip) {
        return Next::Resume;
    }
    // The kernel restores mask and vector registers from the frame; it reports the end of a system call that
    // was single-stepped before the program's next instruction.
    for (;;) {
        if (ptrace::single_step(process_.id())) break;
        const WaitStatus status = wait();
        if (status == WaitStatus(Stopped{SIGTRAP})) break;
        const auto* stopped = std::get_if<Stopped>(&status);
        if (stopped == nullptr) throw Error("The program was killed from outside while it handled a signal.");
        keep_signal(thread, stopped->signal);
    }
    return resume_interrupted(thread);
}

bool Run::start_handler(VirtualThread& thread) {
    const Interruption& before = thread.interruptions.back();
    activate(thread);
    if (before.parking.suspended_mask) {
        static_cast<void>(ptrace::set_signal_mask(process_.id(), *before.parking.suspended_mask));
    }
    const TargetSignals signals = read_signals(process_.id());
    const SignalSet waiting = as_set(thread.pending_signals) | as_set(state_.process_signals);
    bool does_something = false;
    for (int signal = 1; signal <= 64; ++signal) {
        does_something = does_something || (contains(waiting & ~mask_of(thread), signal) &&
                                            (contains(signals.caught, signal) || signals.is_fatal(signal)));
    }
    if (does_something) {
        thread.registers.orig_rax = ~0ULL;
        return true;
    }
    thread.parking = before.parking;
    parked_entry(thread.id).operation = before.operation;
    thread.interruptions.pop_back();
    return false;
}

Run::Next Run::resume_interrupted(VirtualThread& thread) {
    const Interruption before = std::move(thread.interruptions.back());
    thread.interruptions.pop_back();
    thread.registers = before.registers;
    thread.parking = before.parking;
    if (before.parking.suspended_mask) {
        static_cast<void>(ptrace::set_signal_mask(process_.id(), before.parking.mask_before));
    }
    const bool restarts = thread.last_signal != 0 && contains(state_.restarting_signals, thread.last_signal);
    switch (before.operation.kind) {
        case OpKind::Sleep:
            if (thread.parking.at == Parking::At::SystemCall) return interrupt_sleep(thread);
            break;
        case OpKind::SystemCall: {
            const bool restartable =
                before.parking.at == Parking::At::NativeSystemCall &&
                !decode_file_call(thread.registers, memory_).value_or(FileCall{}).is_poll;
            if (before.waits && !(restarts && restartable)) return answer(thread, -EINTR);
            break;
        }
        case OpKind::SemWait:
            if (before.waits && !restarts && thread.parking.at == Parking::At::Call) {
                complete_call(thread, {.result = EINTR});
                return Next::ResumeChanged;
            }
            break;
        default:
            break;  // locks, conditions, joins go on waiting
    }
    return park(thread, before.operation, thread.parking);
}

Run::Next Run::on_pause(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    Parking parking{.at = Parking::At::SystemCall};
    parking.mask_before = mask_of(thread);
    if (registers.orig_rax == SYS_rt_sigsuspend) {
        const auto mask = memory_.read_value<SignalSet>(RemoteAddress{registers.rdi});
        if (!mask) return answer(thread, -EFAULT);
        parking.suspended_mask = mask.value();
    }
    park_at_signal_call(thread, parking, false);
    const SignalSet open = ~parking.suspended_mask.value_or(parking.mask_before);
    const SignalSet waiting = as_set(thread.pending_signals) | as_set(state_.process_signals);
    if ((open & waiting) != 0) interrupt(thread);
    return Next::Park;
}

Run::Next Run::on_wait_for_signal(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const auto wanted = memory_.read_value<SignalSet>(RemoteAddress{registers.rdi});
    if (!wanted) return answer(thread, -EFAULT);
    Parking parking{.at = Parking::At::SystemCall, .awaited_signals = wanted.value()};
    bool timed = false;
    if (registers.rdx != 0) {
        const auto limit = memory_.read_value<timespec>(RemoteAddress{registers.rdx});
        if (!limit) return answer(thread, -EFAULT);
        timed = true;
        parking.deadline = state_.clock.from_relative(limit.value());
    }
    return park_at_signal_call(thread, parking, timed);
}

Run::Next Run::park_at_signal_call(VirtualThread& thread, const Parking& parking, bool timed) {
    Operation operation{.kind = OpKind::SystemCall, .timed = timed, .location = Location::kernel()};
    operation.object =
        session_->names.objects.intern(system_call_name(static_cast<long>(thread.registers.orig_rax)));
    operation.value = (parking.awaited_signals & signals_for(thread)) != 0 ? 1 : 0;
    return park_at_system_call(thread, operation, parking);
}

SignalSet Run::signals_for(const VirtualThread& thread) const {
    // The kernel itself has only what it sends by itself: SIGCHLD, SIGPIPE ...
    return as_set(thread.pending_signals) | as_set(state_.process_signals) |
           read_signals(process_.id()).pending;
}

std::int64_t Run::take_awaited_signal(VirtualThread& thread) {
    auto signal = take(thread.pending_signals, thread.parking.awaited_signals);
    if (!signal) signal = take(state_.process_signals, thread.parking.awaited_signals);
    if (!signal) {
        // The kernel's own: its system call takes it, and does not wait because it is there.
        make_system_call(thread);
        return 0;
    }
    const RemoteAddress where{thread.registers.rsi};
    if (where != null_address && memory_.write_value(where, signal->info)) return -EFAULT;
    return signal->number;
}

Run::Next Run::on_pending_signals(VirtualThread& thread) {
    const SignalSet set = signals_for(thread) & mask_of(thread);
    if (memory_.write_value(RemoteAddress{thread.registers.rdi}, set)) return answer(thread, -EFAULT);
    return answer(thread, 0);
}

void Run::keep_signal(VirtualThread& thread, int signal) {
    PendingSignal kept{.number = signal};
    if (const auto info = ptrace::get_signal_info(process_.id())) kept.info = info.value();
    thread.pending_signals.push_back(kept);
}

Run::Next Run::on_alternate_stack(VirtualThread& thread) {
    // The kernel does it for the one kernel thread; activate() does it again when another thread comes in
    // between.
    if (const RemoteAddress wanted{thread.registers.rdi}; wanted != null_address) {
        if (const auto stack = memory_.read_value<stack_t>(wanted)) thread.alternate_stack = stack.value();
    }
    return Next::Resume;
}

}  // namespace coopcheck::tracer
