// The one kernel thread of a run: whose registers it has, and what it is made to do for us.
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "core/error.hpp"
#include "tracer/must.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

/// Sent by the processor for what an instruction does, so it comes again with the instruction.
bool is_fault(int signal) {
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

}  // namespace

void Run::exchange_extended_state(VirtualThread& previous, const VirtualThread& next) {
    const auto size = ptrace::get_extended_state(process_.id(), session_->extended_area);
    must(size.error());
    const auto now = std::span(session_->extended_area).first(size.value());
    const auto is_now = [&](const std::shared_ptr<const std::vector<std::byte>>& state) {
        return state && state->size() == now.size() &&
               std::memcmp(state->data(), now.data(), now.size()) == 0;
    };
    // Most operations leave vector registers alone, and threads that do alike often have the same in them.
    if (!is_now(previous.extended_state)) {
        previous.extended_state = std::make_shared<const std::vector<std::byte>>(now.begin(), now.end());
    }
    if (next.extended_state && !is_now(next.extended_state))
        must(ptrace::set_extended_state(process_.id(), *next.extended_state));
}

void Run::activate(VirtualThread& next) {
    const ProcessId process = process_.id();
    VirtualThread& previous = state_.threads[state_.current];
    if (&previous != &next) {
        if (previous.live) {
            exchange_extended_state(previous, next);
            const auto mask = ptrace::get_signal_mask(process);
            must(mask.error());
            previous.signal_mask = mask.value();
        } else if (next.extended_state) {
            must(ptrace::set_extended_state(process, *next.extended_state));
        }
        if (!previous.live || previous.signal_mask != next.signal_mask)
            must(ptrace::set_signal_mask(process, next.signal_mask));
        const stack_t& old_stack = previous.alternate_stack;
        const stack_t& new_stack = next.alternate_stack;
        if (old_stack.ss_sp != new_stack.ss_sp || old_stack.ss_size != new_stack.ss_size ||
            old_stack.ss_flags != new_stack.ss_flags) {
            must(memory_.write_value(scratch::data, new_stack));
            call_in_target(SYS_sigaltstack, number(scratch::data), 0, 0);
        }
        const auto found = std::find_if(state_.threads.begin(), state_.threads.end(),
                                        [&](const VirtualThread& thread) { return &thread == &next; });
        state_.current = static_cast<std::size_t>(found - state_.threads.begin());
        // Its own stack opens, that of the one before closes.
        if (state_.watching) close_for(next.id);
    }
    must(ptrace::set_registers(process, next.registers));
}

std::int64_t Run::call_in_target(long system_call, std::uint64_t first, std::uint64_t second,
                                 std::uint64_t third) {
    return call_in_target({system_call, first, second, third, 0, 0, 0});
}

std::int64_t Run::call_in_target(const KernelCall& wanted) {
    VirtualThread& current = state_.threads[state_.current];
    user_regs_struct call = current.registers;
    call.rip = number(scratch::system_call);
    call.rsp = number(scratch::stack);
    call.orig_rax = ~0ULL;
    call.rax = static_cast<std::uint64_t>(wanted.number);
    call.rdi = wanted.first;
    call.rsi = wanted.second;
    call.rdx = wanted.third;
    call.r10 = wanted.fourth;
    call.r8 = wanted.fifth;
    call.r9 = wanted.sixth;
    must(ptrace::set_registers(process_.id(), call));
    for (;;) {
        must(ptrace::cont(process_.id()));
        const WaitStatus status = wait();
        if (status == WaitStatus(Stopped{SIGTRAP})) break;
        const auto* stopped = std::get_if<Stopped>(&status);
        if (stopped == nullptr)
            throw Error("The program was killed from outside while it ran under coopcheck.");
        keep_signal(current, stopped->signal);
    }
    const auto after = ptrace::get_registers(process_.id());
    must(after.error());
    return static_cast<std::int64_t>(after.value().rax);
}

void Run::step_over(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    constexpr std::byte int3{0xcc};
    must(memory_.write_code(function, std::span(&breakpoint.original, 1)));
    thread.registers.rip = number(function);
    const WaitStatus status = step_one(thread);
    const auto* stopped = std::get_if<Stopped>(&status);
    if (stopped != nullptr && is_fault(stopped->signal)) {
        step_fault_ = stopped->signal;  // a lock at an address where nothing is
    } else if (status != WaitStatus(Stopped{SIGTRAP})) {
        throw Error("A signal came while the program was stepped over a breakpoint; run it again.");
    }
    must(memory_.write_code(function, std::span(&int3, 1)));
    const auto registers = ptrace::get_registers(process_.id());
    must(registers.error());
    thread.registers = registers.value();
}

}  // namespace coopcheck::tracer
