#include "tracer/variable_names.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <optional>
#include <utility>
#include <vector>

#include "tracer/debug_file.hpp"
#include "tracer/scopes.hpp"
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

std::string VariableNames::local(RemoteAddress address, std::span<const StackFrame> frames,
                                 const Modules& modules) {
    for (std::size_t nth = 0; nth + 1 < frames.size(); ++nth) {
        const std::uint64_t frame_end = frames[nth + 1].stack_pointer;
        if (number(address) >= frame_end) continue;
        const Module* module = modules.find(frames[nth].next);
        const DebugFile* file = module != nullptr ? &source_lines_.debug_file(*module) : nullptr;
        if (file == nullptr || file->module == nullptr) return "";
        Dwarf_Addr bias = 0;
        const std::uint64_t inside = file->bias + (frames[nth].next - module->base) - 1;
        Dwarf_Die* unit = dwfl_module_addrdie(file->module, inside, &bias);
        if (unit == nullptr) return "";
        const Dwarf_Addr pc = inside - bias;
        std::vector<Dwarf_Die> scopes = scopes_at(*unit, pc);
        if (scopes.empty()) return "";
        const auto base = frame_base(scopes.back(), pc, frame_end, frames[nth].frame_pointer);
        for (Dwarf_Die& scope : scopes) {
            if (!base) break;
            if (std::string name = local_in(scope, pc, *base, address); !name.empty()) return name;
        }
        return "";
    }
    return "";
}

}  // namespace coopcheck::tracer
