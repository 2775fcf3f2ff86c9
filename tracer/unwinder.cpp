#include "tracer/unwinder.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <span>
#include <unordered_map>

namespace coopcheck::tracer {

namespace {

// Numbers of registers in DWARF for x86-64.
constexpr int rbp_number = 6;
constexpr int rsp_number = 7;

/// How a frame is found at one place. The canonical frame address is a register plus an offset; the return
/// address is always just below it.
struct Rule {
    bool from_frame_pointer = false;
    std::int64_t offset = 0;
    /// Where the caller's frame pointer was saved, relative to the frame; nothing if it is still in its
    /// register.
    std::optional<std::int64_t> saved_frame_pointer;
};

std::optional<Rule> decode(Dwarf_Frame* frame) {
    Rule rule;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1) return std::nullopt;
    if (operations->atom != DW_OP_bregx) return std::nullopt;
    if (operations->number != rbp_number && operations->number != rsp_number) return std::nullopt;
    rule.from_frame_pointer = operations->number == rbp_number;
    rule.offset = static_cast<std::int64_t>(operations->number2);

    std::array<Dwarf_Op, 3> room{};
    if (dwarf_frame_register(frame, rbp_number, room.data(), &operations, &count) != 0) return std::nullopt;
    const std::span saved(operations, count);
    if (saved.empty()) return rule;
    const bool at_offset =
        saved[0].atom == DW_OP_call_frame_cfa && saved.size() == 2 && saved[1].atom == DW_OP_plus_uconst;
    if (!at_offset) return std::nullopt;
    rule.saved_frame_pointer = static_cast<std::int64_t>(saved[1].number);
    return rule;
}

}  // namespace

struct Unwinder::File {
    explicit File(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        if (descriptor != -1) elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
        if (elf != nullptr) information = dwarf_getcfi_elf(elf);
    }
    ~File() {
        if (information != nullptr) dwarf_cfi_end(information);
        elf_end(elf);
        if (descriptor != -1) ::close(descriptor);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    const std::optional<Rule>& rule_at(std::uint64_t place) {
        const auto [position, is_new] = rules.try_emplace(place);
        if (is_new && information != nullptr) {
            Dwarf_Frame* frame = nullptr;
            if (dwarf_cfi_addrframe(information, place, &frame) == 0) position->second = decode(frame);
            std::free(frame);  // NOLINT(cppcoreguidelines-no-malloc): libdw allocates with malloc
        }
        return position->second;
    }

    int descriptor;
    Elf* elf = nullptr;
    Dwarf_CFI* information = nullptr;
    std::unordered_map<std::uint64_t, std::optional<Rule>> rules;
};

Unwinder::Unwinder() = default;
Unwinder::~Unwinder() = default;

std::optional<StackFrame> Unwinder::caller(const StackFrame& frame, const Modules& modules,
                                           StackMemory& stack) {
    const Module* module = modules.find(frame.next);
    if (module == nullptr) return std::nullopt;
    auto& file = files_[module->file->path()];
    if (!file) file = std::make_unique<File>(module->file->path());
    // One back from the return address is inside the call, whose function may end with it.
    const std::optional<Rule>& rule = file->rule_at(frame.next - module->base - 1);
    if (!rule) return std::nullopt;
    const std::uint64_t base = rule->from_frame_pointer ? frame.frame_pointer : frame.stack_pointer;
    const std::uint64_t canonical = base + static_cast<std::uint64_t>(rule->offset);
    const auto return_address = stack.read(canonical - sizeof(std::uint64_t));
    // Frames lie one above the other; what does not is no stack.
    if (!return_address || return_address.value() == 0 || canonical <= frame.stack_pointer)
        return std::nullopt;
    StackFrame caller{RemoteAddress{return_address.value()}, canonical, frame.frame_pointer};
    if (rule->saved_frame_pointer) {
        const auto saved = stack.read(canonical + static_cast<std::uint64_t>(*rule->saved_frame_pointer));
        if (!saved) return std::nullopt;
        caller.frame_pointer = saved.value();
    }
    return caller;
}

}  // namespace coopcheck::tracer
