#include "tracer/called_name.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <span>

namespace coopcheck::tracer {

namespace {

std::uint64_t add_relative(RemoteAddress next, std::span<const std::byte> displacement) {
    std::int32_t distance = 0;
    std::memcpy(&distance, displacement.data(), sizeof distance);
    return number(next) + static_cast<std::uint64_t>(std::int64_t{distance});
}

bool starts_with(std::span<const std::byte> code, std::initializer_list<unsigned> bytes) {
    std::size_t nth = 0;
    for (const unsigned byte : bytes) {
        if (code[nth++] != std::byte(byte)) return false;
    }
    return true;
}

/// Of an entry of the procedure linkage table: [endbr64] [bnd] jmp *slot(%rip).
std::optional<std::uint64_t> slot_of_stub(const TargetMemory& memory, RemoteAddress stub) {
    std::array<std::byte, 11> code{};
    if (memory.read(stub, code)) return std::nullopt;
    std::size_t at = starts_with(code, {0xf3, 0x0f, 0x1e, 0xfa}) ? 4 : 0;
    if (starts_with(std::span(code).subspan(at), {0xf2})) at += 1;
    const auto jump = std::span(code).subspan(at);
    constexpr std::size_t size_of_jump = 6;
    if (!starts_with(jump, {0xff, 0x25})) return std::nullopt;
    return add_relative(stub + at + size_of_jump, jump.subspan(2));
}

}  // namespace

std::string called_name(const TargetMemory& memory, const Modules& modules, RemoteAddress return_address) {
    constexpr std::size_t longest_call = 6;
    std::array<std::byte, longest_call> code{};
    const RemoteAddress start{number(return_address) - longest_call};
    if (memory.read(start, code)) return "";
    std::optional<std::uint64_t> slot;
    if (starts_with(code, {0xff, 0x15})) {  // call *slot(%rip)
        slot = add_relative(return_address, std::span(code).subspan(2));
    } else if (code[1] == std::byte{0xe8}) {  // call stub
        slot = slot_of_stub(memory, RemoteAddress{add_relative(return_address, std::span(code).subspan(2))});
    }
    const Module* module = slot ? modules.find(RemoteAddress{*slot}) : nullptr;
    return module == nullptr ? "" : module->file->imported_at(*slot - number(module->base));
}

}  // namespace coopcheck::tracer
