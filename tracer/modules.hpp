#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/symbol_file.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// Whether a file is, by its name, a library of the C or C++ runtime, or the dynamic linker.
[[nodiscard]] bool is_runtime_library(std::string_view path);

/// A file that is loaded into the target.
struct Module {
    Module(RemoteAddress load_address, std::shared_ptr<const SymbolFile> symbols);

    RemoteAddress base{};
    std::shared_ptr<const SymbolFile> file;
    /// A library of the C or C++ runtime, or the dynamic linker.
    bool is_runtime = false;

    [[nodiscard]] bool contains(RemoteAddress address) const {
        return address >= base && address - base >= file->begin() && address - base < file->end();
    }
    /// The last part of its path.
    [[nodiscard]] std::string name() const;
};

/// The files loaded into the target; the program itself is always the first. A plain value.
class Modules {
  public:
    void add(Module module) { all_.push_back(std::move(module)); }
    /// Adds the files on the dynamic linker's list that are not here yet. `list` is its _r_debug.
    void add_from_loader(const TargetMemory& memory, RemoteAddress list, SymbolFiles& files);

    [[nodiscard]] const Module* find(RemoteAddress address) const;
    [[nodiscard]] const std::vector<Module>& all() const { return all_; }

    /// A global variable by symbol and offset, or by module and offset; empty if no module contains the
    /// address.
    [[nodiscard]] std::string variable_name(RemoteAddress address) const;

    /// Whether the address lies in a library of the C or C++ runtime.
    [[nodiscard]] bool is_runtime_code(RemoteAddress address) const;
    /// Whether the address lies in the data of the C or C++ runtime, the dynamic linker included.
    [[nodiscard]] bool is_runtime_data(RemoteAddress address) const;

  private:
    std::vector<Module> all_;
};

}  // namespace coopcheck::tracer
