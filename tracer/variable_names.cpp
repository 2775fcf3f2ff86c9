#include "tracer/variable_names.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "tracer/debug_file.hpp"
#include "tracer/type_path.hpp"

namespace coopcheck::tracer {

namespace {

/// Calls `use` with every variable declared in `die`, and in what is declared in that.
template <typename Use>
void each_variable(Dwarf_Die die, const Use& use) {
    Dwarf_Die child;
    for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        switch (dwarf_tag(&child)) {
            case DW_TAG_variable:
                use(child);
                break;
            case DW_TAG_namespace:
            case DW_TAG_subprogram:
            case DW_TAG_lexical_block:
                each_variable(child, use);
                break;
            default:
                break;
        }
    }
}

/// The single operation of where a variable is; nothing if it is anything more complicated, or in no memory.
std::optional<Dwarf_Op> place_of(Dwarf_Die& variable, Dwarf_Addr pc) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
    const int found = pc == 0 ? (dwarf_getlocation(&attribute, &operations, &count) == 0 ? 1 : 0)
                              : dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1);
    if (found != 1 || count != 1) return std::nullopt;
    return *operations;
}

std::string name_of(Dwarf_Die& variable, std::uint64_t offset) {
    const char* name = dwarf_diename(&variable);
    const std::optional<Dwarf_Die> type = type_of(variable);
    if (name == nullptr || !type) return "";
    return name + type_path(*type, offset);
}

/// What DW_OP_fbreg counts from. GCC counts from the frame's end, clang from the frame pointer.
std::optional<std::uint64_t> frame_base(Dwarf_Die& function, Dwarf_Addr pc, std::uint64_t frame_end,
                                        std::uint64_t frame_pointer) {
    constexpr int rbp_operation = DW_OP_reg0 + 6;
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1 || count != 1) {
        return std::nullopt;
    }
    if (operations->atom == DW_OP_call_frame_cfa) return frame_end;
    if (operations->atom == rbp_operation) return frame_pointer;
    return std::nullopt;
}

std::string local_in(Dwarf_Die& scope, Dwarf_Addr pc, std::uint64_t base, RemoteAddress address) {
    Dwarf_Die child;
    for (int more = dwarf_child(&scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_variable && dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
        const std::optional<Dwarf_Op> place = place_of(child, pc);
        if (!place || place->atom != DW_OP_fbreg) continue;
        const std::uint64_t start = base + place->number;
        const std::optional<Dwarf_Die> type = type_of(child);
        if (!type || number(address) < start || number(address) - start >= size_of(*type)) continue;
        return name_of(child, number(address) - start);
    }
    return "";
}

}  // namespace

/// The global variables of a file, by their addresses in it.
struct VariableNames::Index {
    struct Variable {
        Dwarf_Die die;
        std::uint64_t size = 0;
    };
    std::map<std::uint64_t, Variable> variables;

    explicit Index(const DebugFile& file) {
        if (file.module == nullptr) return;
        Dwarf_Addr bias = 0;
        for (Dwarf_Die* unit = dwfl_module_nextcu(file.module, nullptr, &bias); unit != nullptr;
             unit = dwfl_module_nextcu(file.module, unit, &bias)) {
            each_variable(*unit, [&](Dwarf_Die& variable) {
                const std::optional<Dwarf_Op> place = place_of(variable, 0);
                const std::optional<Dwarf_Die> type = type_of(variable);
                if (!place || place->atom != DW_OP_addr || !type) return;
                variables.try_emplace(place->number + bias - file.bias, Variable{variable, size_of(*type)});
            });
        }
    }
};

VariableNames::VariableNames(SourceLines& source_lines) : source_lines_(source_lines) {}
VariableNames::~VariableNames() = default;

VariableNames::Index& VariableNames::index_of(const Module& module) {
    auto& index = indexes_[module.file->path()];
    if (!index) index = std::make_unique<Index>(source_lines_.debug_file(module));
    return *index;
}

std::string VariableNames::global(RemoteAddress address, const Modules& modules) {
    const Module* module = modules.find(address);
    if (module == nullptr || module->is_runtime) return "";
    const std::uint64_t inside = address - module->base;
    auto& variables = index_of(*module).variables;
    auto after = variables.upper_bound(inside);
    if (after == variables.begin()) return "";
    auto& [start, variable] = *std::prev(after);
    return inside - start < variable.size ? name_of(variable.die, inside - start) : "";
}

namespace {

/// The scopes that a place is in, the innermost first, and how addresses in them are counted.
struct PlaceScopes {
    std::vector<Dwarf_Die> all;
    Dwarf_Addr pc = 0;
};

PlaceScopes scopes_of(RemoteAddress next, const Module* module, SourceLines& source_lines) {
    PlaceScopes scopes;
    DebugFile* file = module != nullptr ? &source_lines.debug_file(*module) : nullptr;
    if (file == nullptr || file->module == nullptr) return scopes;
    Dwarf_Addr bias = 0;
    const std::uint64_t inside = file->bias + (next - module->base) - 1;
    Dwarf_Die* unit = dwfl_module_addrdie(file->module, inside, &bias);
    if (unit == nullptr) return scopes;
    scopes.pc = inside - bias;
    scopes.all = file->scopes.at(*unit, scopes.pc);
    return scopes;
}

std::optional<std::uint64_t> frame_base(PlaceScopes& scopes, const StackFrame& frame,
                                        std::uint64_t frame_end) {
    if (scopes.all.empty()) return std::nullopt;
    return frame_base(scopes.all.back(), scopes.pc, frame_end, frame.frame_pointer);
}

/// By its number in debug information.
std::optional<std::uint64_t> register_value(unsigned number, const user_regs_struct& registers) {
    const std::array values{registers.rax, registers.rdx, registers.rcx, registers.rbx,
                            registers.rsi, registers.rdi, registers.rbp, registers.rsp,
                            registers.r8,  registers.r9,  registers.r10, registers.r11,
                            registers.r12, registers.r13, registers.r14, registers.r15};
    return number < values.size() ? std::optional<std::uint64_t>{values.at(number)} : std::nullopt;
}

/// What is known of a frame for reading its variables.
struct FrameValues {
    Dwarf_Addr pc = 0;
    std::optional<std::uint64_t> base;
    /// None: only what is in memory can be read.
    const user_regs_struct* registers = nullptr;
    const TargetMemory& memory;
};

std::optional<std::uint64_t> word_at(std::uint64_t address, const TargetMemory& memory) {
    const auto word = memory.read_value<std::uint64_t>(RemoteAddress{address});
    return word ? std::optional{word.value()} : std::nullopt;
}

/// The value of a pointer variable, where it is in a register or in memory just there.
std::optional<std::uint64_t> pointer_value(Dwarf_Die& variable, const FrameValues& values) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, values.pc, &operations, &count, 1) != 1 || count == 0) {
        return std::nullopt;
    }
    const std::span all(operations, count);
    const Dwarf_Op& first = all.front();
    if (count == 1 && first.atom == DW_OP_fbreg && values.base)
        return word_at(*values.base + first.number, values.memory);
    if (values.registers == nullptr) return std::nullopt;
    if (count == 1 && first.atom >= DW_OP_reg0 && first.atom <= DW_OP_reg31)
        return register_value(first.atom - DW_OP_reg0, *values.registers);
    if (first.atom < DW_OP_breg0 || first.atom > DW_OP_breg31) return std::nullopt;
    const auto base = register_value(first.atom - DW_OP_breg0, *values.registers);
    if (!base) return std::nullopt;
    if (count == 1) return word_at(*base + first.number, values.memory);
    return count == 2 && all[1].atom == DW_OP_stack_value ? std::optional{*base + first.number}
                                                          : std::nullopt;
}

/// "[3]" of a pointer to the start of the block; empty if the address is not one of its elements.
std::string element(const Pointee& pointee, std::uint64_t value, const VariableNames::Block& block) {
    const std::uint64_t size = size_of(pointee.type);
    const std::uint64_t address = number(block.address);
    if (size == 0 || block.start != value) return "";
    return "[" + std::to_string((address - value) / size) + "]";
}

std::string through_scope(Dwarf_Die& scope, const FrameValues& values, const VariableNames::Block& block) {
    const std::uint64_t address = number(block.address);
    Dwarf_Die child;
    for (int more = dwarf_child(&scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_variable && dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
        const std::optional<Pointee> pointee = pointee_of(child);
        if (!pointee) continue;
        const std::optional<std::uint64_t> value = pointer_value(child, values);
        if (!value || *value > address) continue;
        const std::uint64_t offset = address - *value;
        if (pointee->has_members && offset < size_of(pointee->type))
            return pointee->name + type_path(pointee->type, offset);
        const char* name = dwarf_diename(&child);
        const std::string part = pointee->is_scalar ? element(*pointee, *value, block) : "";
        if (name != nullptr && !part.empty()) return name + part;
    }
    return "";
}

}  // namespace

std::string VariableNames::local(RemoteAddress address, std::span<const StackFrame> frames,
                                 const Modules& modules) {
    for (std::size_t nth = 0; nth + 1 < frames.size(); ++nth) {
        const std::uint64_t frame_end = frames[nth + 1].stack_pointer;
        if (number(address) >= frame_end) continue;
        PlaceScopes scopes = scopes_of(frames[nth].next, modules.find(frames[nth].next), source_lines_);
        const std::optional<std::uint64_t> base = frame_base(scopes, frames[nth], frame_end);
        for (Dwarf_Die& scope : scopes.all) {
            if (!base) break;
            if (std::string name = local_in(scope, scopes.pc, *base, address); !name.empty()) return name;
        }
        return "";
    }
    return "";
}

std::string VariableNames::through_local(const Block& block, std::span<const StackFrame> frames,
                                         const user_regs_struct& registers, bool at_entry,
                                         const Modules& modules, const TargetMemory& memory) {
    for (std::size_t nth = 0; nth + 1 < frames.size(); ++nth) {
        const Module* module = modules.find(frames[nth].next);
        if (module == nullptr || module->is_runtime) continue;
        PlaceScopes scopes = scopes_of(frames[nth].next, module, source_lines_);
        const bool has_registers = nth == 0 || (nth == 1 && at_entry);
        const FrameValues values{.pc = scopes.pc,
                                 .base = frame_base(scopes, frames[nth], frames[nth + 1].stack_pointer),
                                 .registers = has_registers ? &registers : nullptr,
                                 .memory = memory};
        for (Dwarf_Die& scope : scopes.all) {
            if (std::string name = through_scope(scope, values, block); !name.empty()) return name;
        }
    }
    return "";
}

std::string VariableNames::through_global(const Block& block, const Modules& modules,
                                          const TargetMemory& memory) {
    for (const Module& module : modules.all()) {
        if (module.is_runtime) continue;
        for (auto& [start, variable] : index_of(module).variables) {
            if (variable.size != sizeof(std::uint64_t)) continue;
            const std::optional<Pointee> pointee = pointee_of(variable.die);
            const char* name = dwarf_diename(&variable.die);
            if (!pointee || name == nullptr) continue;
            const auto value = word_at(number(module.base + start), memory);
            const std::uint64_t address = number(block.address);
            if (!value || *value == 0 || *value > address) continue;
            const std::uint64_t offset = address - *value;
            if (pointee->has_members && offset < size_of(pointee->type)) {
                const std::string path = type_path(pointee->type, offset);
                return path.starts_with('.') ? name + ("->" + path.substr(1))
                                             : "*" + std::string(name) + path;
            }
            const std::string part = pointee->is_scalar ? element(*pointee, *value, block) : "";
            if (!part.empty()) return name + part;
        }
    }
    return "";
}

}  // namespace coopcheck::tracer
