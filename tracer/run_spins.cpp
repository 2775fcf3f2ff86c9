// What a run does about a thread that does not come back to any operation.
#include <algorithm>
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
    // Nobody else changes what a thread looks at that is alone.
    if (session_->watch.is_used && !state_.alone) {
        const PollExamination looks = find_polled_memory(process_, memory_, [this](RemoteAddress place) {
            return state_.loaded->breakpoints.find(place) != nullptr;
        });
        if (looks.other_stop) return on_stop(thread, *looks.other_stop, deliver);
        if (see_polled(thread, looks.polled)) throw Refined();
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

bool Run::see_polled(const VirtualThread& thread, std::span<const PolledMemory> polled) {
    const auto is_on_own_stack = [&](const PolledMemory& look) {
        return look.touch.address >= thread.stack_low && look.touch.address < thread.stack_high;
    };
    // A loop that looks at something else has on its stack only what it needs for that.
    const bool only_stack = std::all_of(polled.begin(), polled.end(), is_on_own_stack);
    bool is_new = false;
    for (const PolledMemory& look : polled) {
        if (is_on_own_stack(look) && !only_stack) continue;
        session_->watch.note_accessor(number(look.instruction), number(look.touch.address), look.touch.size);
        for (std::uint64_t byte = 0; byte < look.touch.size; ++byte) {
            is_new = session_->watch.awaited.insert(number(look.touch.address) + byte).second || is_new;
            session_->watch.polled.insert(number(look.touch.address) + byte);
        }
    }
    return is_new;
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
