// For reports: the calls a parked thread stands in, and what the source calls an object.
#include <algorithm>
#include <optional>

#include "tracer/run.hpp"
#include "tracer/stack_memory.hpp"

namespace coopcheck::tracer {

std::vector<StackFrame> Run::frames(const VirtualThread& thread) const {
    constexpr std::size_t most_frames = 256;
    std::vector<StackFrame> frames;
    const user_regs_struct& registers = thread.registers;
    StackMemory stack(memory_, registers.rsp);
    // A frame is the place after a call; one byte into the instruction is never before it.
    std::optional<StackFrame> frame =
        StackFrame{RemoteAddress{registers.rip + 1}, registers.rsp, registers.rbp};
    while (frame && frames.size() < most_frames) {
        frames.push_back(*frame);
        frame = session_->unwinder.caller(*frame, state_.loaded->modules, stack);
    }
    return frames;
}

std::vector<TracePlace> Run::stack(ThreadId id) const {
    const auto thread = std::find_if(state_.threads.begin(), state_.threads.end(),
                                     [&](const VirtualThread& other) { return other.id == id; });
    if (thread == state_.threads.end() || !thread->live || ended()) return {};
    const Modules& modules = state_.loaded->modules;
    std::vector<TracePlace> places;
    for (const StackFrame& frame : frames(*thread)) {
        if (!session_->source_lines.is_programs_own(frame.next, modules)) continue;
        for (TracePlace& place : session_->source_lines.calls(frame.next, modules)) {
            places.push_back(std::move(place));
        }
    }
    return places;
}

std::string Run::label(ObjectId object) const {
    const auto entry = std::find_if(state_.objects.begin(), state_.objects.end(),
                                    [&](const auto& known) { return known.second == object; });
    if (entry == state_.objects.end() || session_->is_stream_lock(object)) return "";
    const RemoteAddress address = address_of_key(entry->first);
    const Modules& modules = state_.loaded->modules;
    if (std::string name = session_->variable_names.global(address, modules); !name.empty()) return name;
    for (const VirtualThread& thread : state_.threads) {
        const bool on_its_stack =
            thread.live && address >= RemoteAddress{thread.registers.rsp} && address < thread.stack_high;
        if (on_its_stack) return session_->variable_names.local(address, frames(thread), modules);
    }
    return "";
}

}  // namespace coopcheck::tracer
