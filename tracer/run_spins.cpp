// What a run does about a thread that does not come back to any operation.
#include <ctime>

#include "core/error.hpp"
#include "tracer/run.hpp"
#include "tracer/spin_loop.hpp"
#include "tracer/system_calls.hpp"

namespace coopcheck::tracer {

namespace {

/// A thread that was found at work so often without an operation is believed never to come back.
constexpr unsigned most_looks = 10;

std::int64_t processor_time_ns(ProcessId process) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(static_cast<pid_t>(process), &clock) != 0 || ::clock_gettime(clock, &time) != 0)
        return 0;
    constexpr std::int64_t second = 1'000'000'000;
    return time.tv_sec * second + time.tv_nsec;
}

}  // namespace

std::string Run::function_at(RemoteAddress address) const {
    const Module* module = state_.loaded->modules.find(address);
    if (module == nullptr) return "unknown code";
    const SymbolFile::Symbol* symbol = module->file->function_at(address - module->base);
    return symbol != nullptr ? symbol->name : module->name();
}

Run::Next Run::on_silence(VirtualThread& thread, int& deliver) {
    const std::chrono::milliseconds limit = session_->watchdog.limit();
    if (static_cast<std::int64_t>(thread.registers.orig_rax) >= 0) {
        throw Error("The program blocks in the system call " +
                    system_call_name(static_cast<long>(thread.registers.orig_rax)) + " for more than " +
                    std::to_string(limit.count()) +
                    " ms; coopcheck does not model waiting for the outside world.");
    }
    const LoopExamination examination = examine_loop(process_, memory_, [this](RemoteAddress place) {
        return state_.loaded->breakpoints.find(place) != nullptr;
    });
    if (examination.head) {
        session_->spin_points.insert(*examination.head);
        throw Refined();
    }
    if (examination.other_stop) return on_stop(thread, *examination.other_stop, deliver);

    // On a busy machine a thread may just not have had its turn: only time that it used counts.
    const std::int64_t now = processor_time_ns(process_.id());
    const bool has_worked = now - thread.looked_at_ns >= std::chrono::nanoseconds(limit).count() / 2;
    thread.looked_at += has_worked ? 1 : 0;
    thread.looked_at_ns = now;
    if (thread.looked_at <= most_looks) return Next::Resume;
    return fail(thread, FindingKind::Livelock,
                "ran for " + std::to_string(limit.count() * most_looks) + " ms without any operation, in " +
                    function_at(RemoteAddress{thread.registers.rip}) + " (--spin-limit gives it more time)",
                site_of_instruction(thread));
}

Run::Next Run::on_spin_point(VirtualThread& thread, RemoteAddress head, const Breakpoint& breakpoint) {
    if (!state_.started) return enter_native(thread, head, breakpoint);
    thread.registers.rip = number(head);
    // A site is a return address: the instruction described is the one before it.
    return park(thread, {.kind = OpKind::Yield, .value = 1, .site = number(head) + 1},
                {.at = Parking::At::SpinPoint, .function = head});
}

void Run::leave_spin_point(VirtualThread& thread) {
    const RemoteAddress head = thread.parking.function;
    const Breakpoint& breakpoint = *state_.loaded->breakpoints.find(head);
    if (breakpoint.native != null_address) {
        thread.registers.rip = number(breakpoint.native);
        return;
    }
    activate(thread);
    step_over(thread, head, breakpoint);
}

}  // namespace coopcheck::tracer
