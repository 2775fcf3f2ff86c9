// Where in the program's source a thread stands.
#include "tracer/run.hpp"
#include "tracer/site.hpp"

namespace coopcheck::tracer {

std::uint64_t Run::site_of(const StackFrame& innermost) const {
    return find_site(innermost, state_.loaded->modules, memory_, session_->source_lines, session_->unwinder);
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
