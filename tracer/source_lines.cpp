#include "tracer/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracer/debug_file.hpp"
#include "tracer/demangle.hpp"
#include "tracer/short_name.hpp"

namespace coopcheck::tracer {

namespace {

std::string without_folders(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_system_header(const std::string& path) { return path.starts_with("/usr/"); }

struct SourcePlace {
    std::string function;
    std::string file;
    int line = 0;
};

/// The name of the function that a scope is, or was inlined from.
std::string function_name(Dwarf_Die& scope) {
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
        if (const char* linkage = dwarf_formstring(dwarf_attr_integrate(&scope, name, &attribute)))
            return short_name(demangled(linkage));
    }
    const char* name = dwarf_diename(&scope);
    if (name == nullptr) return "";
    // Only what is local to a function has no linkage name: this is the call of a lambda.
    return std::string_view(name) == "operator()" ? "lambda" : name;
}

/// Where the program's own source says it, if `address` is in code inlined from a header of the system
/// (std::mutex).
std::optional<SourcePlace> inlined_at(DebugFile& file, Dwarf_Addr address) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(file.module, address, &bias);
    if (unit == nullptr) return std::nullopt;
    std::vector<Dwarf_Die> scopes = file.scopes.at(*unit, address - bias);
    Dwarf_Files* files = nullptr;
    if (dwarf_getsrcfiles(unit, &files, nullptr) != 0) return std::nullopt;
    for (std::size_t nth = 0; nth < scopes.size(); ++nth) {
        if (dwarf_tag(&scopes[nth]) != DW_TAG_inlined_subroutine) continue;
        Dwarf_Attribute attribute;
        Dwarf_Word call_file = 0;
        Dwarf_Word line = 0;
        if (dwarf_formudata(dwarf_attr(&scopes[nth], DW_AT_call_file, &attribute), &call_file) != 0 ||
            dwarf_formudata(dwarf_attr(&scopes[nth], DW_AT_call_line, &attribute), &line) != 0) {
            continue;
        }
        const char* path = dwarf_filesrc(files, call_file, nullptr, nullptr);
        if (path == nullptr || is_system_header(path)) continue;
        const auto enclosing = std::find_if(
            scopes.begin() + static_cast<std::ptrdiff_t>(nth) + 1, scopes.end(), [](Dwarf_Die& die) {
                return dwarf_tag(&die) == DW_TAG_subprogram || dwarf_tag(&die) == DW_TAG_inlined_subroutine;
            });
        return SourcePlace{enclosing == scopes.end() ? "" : function_name(*enclosing), path,
                           static_cast<int>(line)};
    }
    return std::nullopt;
}

std::string absolute(const char* path, Dwarf_Die* unit) {
    Dwarf_Attribute attribute;
    const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    if (*path == '/' || folder == nullptr) return path;
    return std::filesystem::path(std::string(folder) + "/" + path).lexically_normal().string();
}

}  // namespace

struct SourceLines::File : DebugFile {
    using DebugFile::DebugFile;
    /// What is_programs_own() has found.
    std::unordered_map<std::uint64_t, bool> own;
    /// What calls() has found: a long schedule is at the same places again and again.
    std::unordered_map<std::uint64_t, std::vector<TracePlace>> calls;
    /// The same of describe().
    std::unordered_map<std::uint64_t, std::string> descriptions;
    /// The same of is_atomic_code().
    std::unordered_map<std::uint64_t, bool> atomic;
};

SourceLines::SourceLines() = default;
SourceLines::~SourceLines() = default;

SourceLines::File& SourceLines::file_of(const Module& module) {
    auto& file = files_[module.file->path()];
    if (!file) file = std::make_unique<File>(module.file->path());
    return *file;
}

bool SourceLines::is_programs_own(RemoteAddress return_address, const Modules& modules) {
    const Module* module = modules.find(return_address);
    if (module == nullptr || module->is_runtime) return false;
    const std::uint64_t inside = return_address - module->base - 1;
    const auto [position, is_new] = file_of(*module).own.try_emplace(inside);
    if (is_new) position->second = find_out_whose(*module, inside, modules.all().size() == 1);
    return position->second;
}

bool SourceLines::is_atomic_code(RemoteAddress instruction, const Modules& modules) {
    const Module* module = modules.find(instruction);
    if (module == nullptr || module->is_runtime) return false;
    const std::uint64_t inside = instruction - module->base;
    File& file = file_of(*module);
    const auto [position, is_new] = file.atomic.try_emplace(inside, false);
    if (!is_new || file.module == nullptr) return position->second;
    GElf_Addr bias = 0;
    dwfl_module_getelf(file.module, &bias);
    Dwfl_Line* line = dwfl_module_getsrc(file.module, bias + inside);
    const char* source =
        line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (source == nullptr || !is_system_header(source)) return false;
    const std::string name = without_folders(source);
    position->second = name == "atomic_base.h" || name == "atomic" || name == "atomicity.h" ||
                       name == "atomic_wait.h" || name == "shared_ptr_atomic.h";
    return position->second;
}

bool SourceLines::find_out_whose(const Module& module, std::uint64_t inside, bool is_static) {
    // Debug information is slow to search, so it is asked only where a name makes it doubtful: everything in
    // namespace std, and, where the libraries are part of the program, everything.
    const SymbolFile::Symbol* symbol = module.file->function_at(inside);
    const auto is_in_std = [](std::string_view name) {
        for (const std::string_view start :
             {"_ZNSt", "_ZNKSt", "_ZSt", "_ZZNSt", "_ZZNKSt", "_ZN9__gnu_cxx"}) {
            if (name.starts_with(start)) return true;
        }
        // std::mutex calls functions of C that every file has for itself.
        return name.starts_with("_ZL") && name.find("__gthread") != std::string_view::npos;
    };
    if (symbol != nullptr && symbol->name == "_start") return false;
    if (!is_static && (symbol == nullptr || !is_in_std(symbol->name))) return true;
    File& file = file_of(module);
    if (file.module == nullptr) return false;
    Dwfl_Line* line = dwfl_module_getsrc(file.module, file.bias + inside);
    if (line == nullptr) return false;
    const char* source = dwfl_lineinfo(line, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (source == nullptr) return false;
    return !is_system_header(source) || inlined_at(file, file.bias + inside).has_value();
}

std::string SourceLines::describe(RemoteAddress return_address, const Modules& modules) {
    const Module* module = modules.find(return_address);
    if (module == nullptr) return "";
    // One back from the return address is inside the call.
    const std::uint64_t inside = return_address - module->base - 1;
    const auto [position, is_new] = file_of(*module).descriptions.try_emplace(inside);
    if (is_new) position->second = find_description(*module, inside);
    return position->second;
}

std::string SourceLines::find_description(const Module& module, std::uint64_t inside) {
    File& file = file_of(module);
    std::string text;
    if (file.module != nullptr) {
        const GElf_Addr bias = file.bias;
        if (const char* name = dwfl_module_addrname(file.module, bias + inside))
            text = short_name(demangled(name));
        if (Dwfl_Line* line = dwfl_module_getsrc(file.module, bias + inside)) {
            int number = 0;
            const char* source = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
            if (source != nullptr && is_system_header(source)) {
                if (const auto place = inlined_at(file, bias + inside)) {
                    return (place->function.empty() ? text : place->function) + " " +
                           without_folders(place->file) + ":" + std::to_string(place->line);
                }
            }
            if (source != nullptr) {
                text += (text.empty() ? "" : " ") + without_folders(source) + ":" + std::to_string(number);
            }
            return text;
        }
    }
    if (text.empty()) {
        std::array<char, 24> offset{};
        std::snprintf(offset.data(), offset.size(), "+0x%llx", static_cast<unsigned long long>(inside) + 1);
        text = module.name() + offset.data();
    } else {
        text += " (" + module.name() + ")";
    }
    return text;
}

bool SourceLines::is_unknown_library(RemoteAddress return_address, const Modules& modules) {
    const Module* module = modules.find(return_address);
    if (module == nullptr || module == &modules.all().front()) return false;
    const File& file = file_of(*module);
    const std::uint64_t inside = return_address - module->base - 1;
    return file.module == nullptr || dwfl_module_getsrc(file.module, file.bias + inside) == nullptr;
}

DebugFile& SourceLines::debug_file(const Module& module) { return file_of(module); }

std::vector<TracePlace> SourceLines::calls(RemoteAddress return_address, const Modules& modules) {
    const Module* module = modules.find(return_address);
    if (module == nullptr) return {};
    const auto [position, is_new] = file_of(*module).calls.try_emplace(return_address - module->base - 1);
    if (is_new) position->second = find_calls(return_address, *module, modules);
    return position->second;
}

std::vector<TracePlace> SourceLines::find_calls(RemoteAddress return_address, const Module& module,
                                                const Modules& modules) {
    const std::uint64_t inside = return_address - module.base - 1;
    File& file = file_of(module);
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit =
        file.module != nullptr ? dwfl_module_addrdie(file.module, file.bias + inside, &bias) : nullptr;
    Dwfl_Line* line = file.module != nullptr ? dwfl_module_getsrc(file.module, file.bias + inside) : nullptr;
    Dwarf_Files* files = nullptr;
    int number = 0;
    const char* path =
        line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
    if (unit == nullptr || path == nullptr || dwarf_getsrcfiles(unit, &files, nullptr) != 0) {
        return {{.source = describe(return_address, modules)}};
    }
    std::vector<TracePlace> calls;
    for (Dwarf_Die& scope : file.scopes.at(*unit, file.bias + inside - bias)) {
        const int tag = dwarf_tag(&scope);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
        if (path != nullptr && !is_system_header(path)) {
            const std::string place = without_folders(path) + ":" + std::to_string(number);
            calls.push_back({.source = function_name(scope) + " " + place,
                             .path = absolute(path, unit),
                             .line = static_cast<unsigned>(number)});
        }
        if (tag == DW_TAG_subprogram) break;
        // Where it was inlined.
        Dwarf_Attribute attribute;
        Dwarf_Word call_file = 0;
        Dwarf_Word call_line = 0;
        path = dwarf_formudata(dwarf_attr(&scope, DW_AT_call_file, &attribute), &call_file) == 0
                   ? dwarf_filesrc(files, call_file, nullptr, nullptr)
                   : nullptr;
        number = dwarf_formudata(dwarf_attr(&scope, DW_AT_call_line, &attribute), &call_line) == 0
                     ? static_cast<int>(call_line)
                     : 0;
    }
    return calls;
}

}  // namespace coopcheck::tracer
