#include "tracer/modules.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "tracer/demangle.hpp"

namespace coopcheck::tracer {

namespace {

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

}  // namespace

bool is_runtime_library(std::string_view path) {
    constexpr std::array<std::string_view, 8> starts{"ld-linux",   "libc.so",      "libpthread.so",
                                                     "libdl.so",   "libstdc++.so", "libgcc_s.so",
                                                     "libasan.so", "libubsan.so"};
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

Module::Module(RemoteAddress load_address, std::shared_ptr<const SymbolFile> symbols)
    : base(load_address), file(std::move(symbols)), is_runtime(is_runtime_library(file->path())) {}

std::string Module::name() const { return file->path().substr(file->path().rfind('/') + 1); }

void Modules::add_from_loader(const TargetMemory& memory, RemoteAddress list, SymbolFiles& files) {
    const auto debug = memory.read_value<r_debug>(list);
    if (!debug) return;
    auto next = RemoteAddress{reinterpret_cast<std::uint64_t>(debug.value().r_map)};
    for (bool is_program = true; next != null_address; is_program = false) {
        const auto entry = memory.read_value<link_map>(next);
        if (!entry) return;
        const std::string path =
            memory.read_string(RemoteAddress{reinterpret_cast<std::uint64_t>(entry.value().l_name)});
        const RemoteAddress base{entry.value().l_addr};
        // The program itself is on the list without a name.
        const bool known = std::any_of(all_.begin(), all_.end(), [&](const Module& module) {
            return module.base == base && module.file->path() == path;
        });
        if (!is_program && !path.empty() && !known) {
            // Another file at the same place: the one before was unloaded.
            std::erase_if(all_, [&](const Module& module) { return module.base == base; });
            all_.emplace_back(base, files.open(path));
        }
        next = RemoteAddress{reinterpret_cast<std::uint64_t>(entry.value().l_next)};
    }
}

const Module* Modules::find(RemoteAddress address) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const Module& module) { return module.contains(address); });
    return found == all_.end() ? nullptr : &*found;
}

bool Modules::is_runtime_code(RemoteAddress address) const {
    const Module* module = find(address);
    return module != nullptr && module->is_runtime;
}

bool Modules::is_runtime_data(RemoteAddress address) const {
    const Module* module = find(address);
    if (module == nullptr) return false;
    if (module != all_.data()) return module->is_runtime;
    // In a static program the runtime's variables are among the program's own.
    const SymbolFile::Symbol* symbol = module->file->variable_at(address - module->base);
    if (symbol == nullptr) return false;
    if (all_.size() > 1) {
        const std::string& copied = module->file->copied_to(symbol->address);
        return !copied.empty() && std::any_of(all_.begin() + 1, all_.end(), [&](const Module& library) {
            return library.is_runtime && library.file->variable(copied).has_value();
        });
    }
    const std::string_view name = symbol->name;
    return name.starts_with("_dl_") || name.starts_with("_rtld_") || name.starts_with("_IO_") ||
           name == "object_mutex" || name == "_nl_C_locobj" || name == "main_arena";
}

std::string Modules::variable_name(RemoteAddress address) const {
    const Module* module = find(address);
    if (module == nullptr) return "";
    const std::uint64_t inside = address - module->base;
    const SymbolFile::Symbol* symbol = module->file->variable_at(inside);
    if (symbol == nullptr) return module->name() + "+" + hexadecimal(inside);
    std::string name = module == all_.data() ? "" : module->name() + ":";
    name += demangled(symbol->name);
    if (const unsigned nth = module->file->nth_of_its_name(*symbol); nth > 1)
        name += "#" + std::to_string(nth);
    if (inside != symbol->address) name += "+" + hexadecimal(inside - symbol->address);
    return name;
}

}  // namespace coopcheck::tracer
