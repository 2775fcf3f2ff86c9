#include "tracer/breakpoints.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

constexpr std::byte int3{0xcc};

void must(std::error_code error) {
    if (error)
        throw Error("Cannot set a breakpoint in the program (" + error.message() +
                    "); was it killed from outside?");
}

bool runs_native(CallUse use) {
    switch (use) {
        case CallUse::RunNative:
        case CallUse::Create:
        case CallUse::Once:
        case CallUse::Initialize:
        case CallUse::SpinInitOrUnlock:
        case CallUse::CancelState:
        case CallUse::Sleep:
        case CallUse::SendSignal:
        case CallUse::ThreadExit:
        case CallUse::StreamLock:
        case CallUse::StartMain:
        case CallUse::SpinPoint:
        case CallUse::Allocator:
        case CallUse::Bind:
            return true;
        default:
            return false;
    }
}

/// Puts the address of the next instruction on the stack: a copy would put its own there.
bool needs_its_place(const ZydisDecodedInstruction& instruction) {
    return instruction.meta.category == ZYDIS_CATEGORY_CALL;
}

/// Data that the instruction finds relative to its own place, from another place; false if it is too far.
bool move_displacement(const ZydisDecodedInstruction& instruction, RemoteAddress from, RemoteAddress to,
                       std::span<std::byte> code) {
    const auto& displacement = instruction.raw.disp;
    constexpr unsigned bits = 32;
    if (displacement.size != bits) return false;
    const std::int64_t moved =
        displacement.value + static_cast<std::int64_t>(number(from)) - static_cast<std::int64_t>(number(to));
    if (moved != static_cast<std::int32_t>(moved)) return false;
    const auto value = static_cast<std::int32_t>(moved);
    std::memcpy(code.data() + displacement.offset, &value, sizeof value);
    return true;
}

/// The instruction and a jump to the next one, to be run at another place; nothing if the instruction means
/// something else there.
std::optional<std::vector<std::byte>> trampoline(std::span<const std::byte> code, RemoteAddress address,
                                                 RemoteAddress place) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands{};
    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &instruction, operands.data()))) {
        return std::nullopt;
    }
    std::vector<std::byte> bytes(code.begin(), code.begin() + instruction.length);
    std::uint64_t next = number(address) + instruction.length;
    if (needs_its_place(instruction)) return std::nullopt;
    if ((instruction.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0) {
        const bool is_branch = instruction.raw.imm[0].is_relative != ZYAN_FALSE;
        if (!is_branch) {
            if (!move_displacement(instruction, address, place, bytes)) return std::nullopt;
        } else if (instruction.mnemonic != ZYDIS_MNEMONIC_JMP ||
                   !ZYAN_SUCCESS(
                       ZydisCalcAbsoluteAddress(&instruction, operands.data(), number(address), &next))) {
            return std::nullopt;
        } else {
            bytes.clear();
        }
    }
    for (const unsigned byte : {0xffU, 0x25U, 0U, 0U, 0U, 0U})
        bytes.push_back(std::byte(byte));  // jmp *0(%rip)
    const auto target = std::as_bytes(std::span(&next, 1));
    bytes.insert(bytes.end(), target.begin(), target.end());
    return bytes;
}

}  // namespace

void Breakpoints::install(const TargetMemory& memory, const Modules& modules) {
    for (const Module& module : modules.all()) {
        for (const Hook& hook : all_hooks()) {
            if (const auto address = module.file->function(hook.name)) {
                install(memory, module.base + *address, hook);
            }
        }
    }
}

void Breakpoints::install(const TargetMemory& memory, RemoteAddress address, const Hook& hook) {
    constexpr std::size_t longest_instruction = 15;
    auto [position, is_new] = all_.try_emplace(number(address));
    Breakpoint& breakpoint = position->second;
    if (!is_new) {
        // glibc: pthread_spin_init and pthread_spin_unlock are the same function.
        if (breakpoint.hook->name == "pthread_spin_init" && hook.name == "pthread_spin_unlock") {
            breakpoint.hook = &spin_init_or_unlock_hook();
        }
        return;
    }
    std::array<std::byte, longest_instruction> code{};
    must(memory.read(address, code));
    breakpoint.hook = &hook;
    breakpoint.original = code.front();
    if (hook.use == CallUse::Access) breakpoint.native = copy_near(memory, code, address);
    const bool wanted =
        copies_ == Copies::Everywhere || (copies_ == Copies::WhereNeeded && runs_native(hook.use));
    if (wanted && trampolines_used_ < scratch::trampoline_capacity) {
        const RemoteAddress place = scratch::trampolines + trampolines_used_ * scratch::trampoline_size;
        if (const auto bytes = trampoline(code, address, place)) {
            breakpoint.native = place;
            trampolines_used_ += 1;
            must(memory.write(place, *bytes));
        }
    }
    must(memory.write_code(address, std::span(&int3, 1)));
}

RemoteAddress Breakpoints::copy_near(const TargetMemory& memory, std::span<const std::byte> code,
                                     RemoteAddress address) {
    for (Room& room : rooms_) {
        if (room.used == room.capacity) continue;
        const RemoteAddress place = room.start + room.used * scratch::trampoline_size;
        if (const auto bytes = trampoline(code, address, place)) {
            room.used += 1;
            must(memory.write_code(place, *bytes));
            return place;
        }
    }
    return null_address;
}

void Breakpoints::add_room(RemoteAddress start, std::uint64_t size) {
    rooms_.push_back({start, size / scratch::trampoline_size, 0});
}

std::optional<RemoteAddress> Breakpoints::original_of(RemoteAddress copy) const {
    for (const auto& [address, breakpoint] : all_) {
        if (breakpoint.native == copy && copy != null_address) return RemoteAddress{address};
    }
    return std::nullopt;
}

void Breakpoints::remove(const TargetMemory& memory, RemoteAddress address) {
    const auto found = all_.find(number(address));
    if (found == all_.end()) return;
    must(memory.write_code(address, std::span(&found->second.original, 1)));
    all_.erase(found);
}

void Breakpoints::remove_all(const TargetMemory& memory) const {
    for (const auto& [address, breakpoint] : all_) {
        must(memory.write_code(RemoteAddress{address}, std::span(&breakpoint.original, 1)));
    }
}

}  // namespace coopcheck::tracer
