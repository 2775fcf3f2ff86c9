// For reports: the calls a parked thread stands in, and what the source calls objects and memory.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>

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

const VirtualThread* Run::live_thread(ThreadId id) const {
    const auto thread = std::find_if(state_.threads.begin(), state_.threads.end(),
                                     [&](const VirtualThread& other) { return other.id == id; });
    return thread == state_.threads.end() || !thread->live || ended() ? nullptr : &*thread;
}

std::vector<TracePlace> Run::calls_at(RemoteAddress frame) const {
    const Modules& modules = state_.loaded->modules;
    if (!session_->source_lines.is_programs_own(frame, modules)) return {};
    return session_->source_lines.calls(frame, modules);
}

std::vector<TracePlace> Run::stack(ThreadId id) const {
    const VirtualThread* thread = live_thread(id);
    if (thread == nullptr) return {};
    std::vector<TracePlace> places;
    for (const StackFrame& frame : frames(*thread)) {
        for (TracePlace& place : calls_at(frame.next)) places.push_back(std::move(place));
    }
    return places;
}

std::string Run::label(ObjectId object) const {
    const auto entry = std::find_if(state_.objects.begin(), state_.objects.end(),
                                    [&](const auto& known) { return known.second == object; });
    if (entry == state_.objects.end() || session_->is_stream_lock(object)) return "";
    const RemoteAddress address = address_of_key(entry->first);
    if (std::string name = label_at(address); !name.empty()) return name;
    // Whoever is about to use it has a pointer to it.
    for (const ParkedThread& parked : state_.parked) {
        if (parked.operation.object != object && parked.operation.mutex != object) continue;
        if (std::string name = pointed_label(address, parked.thread); !name.empty()) return name;
    }
    return "";
}

std::string Run::pointed_label(RemoteAddress address, ThreadId id) const {
    const VirtualThread* thread = live_thread(id);
    if (thread == nullptr) return "";
    const Modules& modules = state_.loaded->modules;
    VariableNames::Block block{.address = address};
    if (const auto allocation = allocation_of(address)) block.start = number(address) - allocation->offset;
    const bool at_entry = thread->parking.at == Parking::At::Call;
    if (std::string name = session_->variable_names.through_local(block, frames(*thread), thread->registers,
                                                                  at_entry, modules, memory_);
        !name.empty()) {
        return name;
    }
    return session_->variable_names.through_global(block, modules, memory_);
}

std::string Run::label_at(RemoteAddress address) const {
    const Modules& modules = state_.loaded->modules;
    if (std::string name = session_->variable_names.global(address, modules); !name.empty()) return name;
    for (const VirtualThread& thread : state_.threads) {
        const bool on_its_stack =
            thread.live && address >= RemoteAddress{thread.registers.rsp} && address < thread.stack_high;
        if (on_its_stack) return session_->variable_names.local(address, frames(thread), modules);
    }
    return "";
}

std::string Run::memory_label(RemoteAddress address, ThreadId id) const {
    if (std::string name = label_at(address); !name.empty()) return name;
    const bool is_static = state_.loaded->modules.find(address) != nullptr;
    if (std::string name = is_static ? "" : pointed_label(address, id); !name.empty()) return name;
    const auto allocation = allocation_of(address);
    if (!allocation || allocation->source.empty()) return "";
    const std::string place = allocation->source.substr(allocation->source.rfind(' ') + 1);
    return "heap(" + place + ")" + (allocation->offset == 0 ? "" : "+" + std::to_string(allocation->offset));
}

std::string Run::instruction_text(RemoteAddress address) const {
    const Module* module = state_.loaded->modules.find(address);
    std::array<char, 24> where{};
    std::snprintf(
        where.data(), where.size(), "0x%llx",
        static_cast<unsigned long long>(module == nullptr ? number(address) : address - module->base));
    std::string text = (module == nullptr ? "" : module->name() + "+") + where.data();
    const auto instruction = session_->instructions.at(address, memory_);
    return instruction ? text + ": " + instruction->text() : text;
}

std::string Run::instruction_text(ThreadId id) const {
    const VirtualThread* thread = live_thread(id);
    return thread == nullptr ? "" : instruction_text(RemoteAddress{thread->registers.rip});
}

std::optional<std::uint64_t> Run::value_at(RemoteAddress address, std::size_t size) const {
    std::uint64_t value = 0;
    if (size > sizeof value || ended()) return std::nullopt;
    if (memory_.read(address, std::as_writable_bytes(std::span(&value, 1)).first(size))) return std::nullopt;
    return value;
}

std::optional<TraceAllocation> Run::allocation_of(RemoteAddress address) const {
    const auto next = state_.allocations.upper_bound(number(address));
    if (next == state_.allocations.begin()) return std::nullopt;
    const auto& [start, allocation] = *std::prev(next);
    if (number(address) >= start + allocation.size) return std::nullopt;
    return TraceAllocation{
        .thread = session_->names.threads.name(allocation.thread),
        .size = allocation.size,
        .offset = number(address) - start,
        .source = session_->source_lines.describe(RemoteAddress{allocation.site}, state_.loaded->modules)};
}

}  // namespace coopcheck::tracer
