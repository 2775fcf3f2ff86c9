// Where in the program's source a thread stands.
#include "tracer/run.hpp"

namespace coopcheck::tracer {

std::uint64_t Run::site_of(const StackFrame& innermost) const {
    const Modules& modules = state_.loaded->modules;
    // Deeper than the libraries go before they call the program.
    constexpr int most_frames = 64;
    std::optional<StackFrame> frame = innermost;
    StackMemory stack(memory_, innermost.stack_pointer);
    for (int nth = 0; frame && nth < most_frames; ++nth) {
        if (session_->source_lines.is_programs_own(frame->next, modules)) return number(frame->next);
        frame = session_->unwinder.caller(*frame, modules, stack);
    }
    return number(innermost.next);
}

std::uint64_t Run::site_of_caller(const VirtualThread& thread) const {
    const user_regs_struct& registers = thread.registers;
    const auto return_address = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsp});
    if (!return_address) return registers.rip;
    return site_of_caller(thread, RemoteAddress{return_address.value()});
}

std::uint64_t Run::site_of_caller(const VirtualThread& thread, RemoteAddress return_address) const {
    const user_regs_struct& registers = thread.registers;
    return site_of({return_address, registers.rsp + sizeof(std::uint64_t), registers.rbp});
}

std::uint64_t Run::site_of_instruction(const VirtualThread& thread) const {
    // A site is the place after: one byte into the instruction is never before it.
    return site_of({RemoteAddress{thread.registers.rip + 1}, thread.registers.rsp, thread.registers.rbp});
}

}  // namespace coopcheck::tracer
