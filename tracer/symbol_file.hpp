#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopcheck::tracer {

/// The symbols of one ELF file, by their addresses in the file (to which the load address is added).
class SymbolFile {
  public:
    struct Symbol {
        std::uint64_t address = 0;
        std::uint64_t size = 0;
        std::string name;
    };

    /// A file that cannot be read has no symbols.
    explicit SymbolFile(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    /// The entry of the function, in its default version where there are several (the others are wrappers
    /// around it).
    [[nodiscard]] std::optional<std::uint64_t> function(std::string_view name) const;
    [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& functions() const {
        return functions_;
    }
    /// False of one that was stripped.
    [[nodiscard]] bool has_functions() const { return !functions_.empty(); }
    [[nodiscard]] std::optional<std::uint64_t> variable(std::string_view name) const;
    [[nodiscard]] const std::vector<Symbol>& variables() const { return variables_; }
    /// The variable that contains the address.
    [[nodiscard]] const Symbol* variable_at(std::uint64_t address) const;
    [[nodiscard]] const Symbol* function_at(std::uint64_t address) const;
    /// The symbol whose address the dynamic linker writes to `slot` (an address in the file); empty if none.
    [[nodiscard]] const std::string& imported_at(std::uint64_t slot) const;
    /// The symbol of a library whose variable was given a place of the program's own at this address (a copy
    /// relocation: stdout, std::cout); empty if none.
    [[nodiscard]] const std::string& copied_to(std::uint64_t address) const;
    /// The table through which functions of others are called (DT_PLTGOT); nothing if there is none.
    [[nodiscard]] std::optional<std::uint64_t> call_table() const { return call_table_; }
    /// 1 unless variables with lower addresses have the same name (static variables of several source files).
    [[nodiscard]] unsigned nth_of_its_name(const Symbol& variable) const;
    /// The program marks what is to be explored with coopcheck_region_begin().
    [[nodiscard]] bool has_region() const { return has_region_; }
    /// The lowest address that the file occupies: far from 0 in a program that is not position-independent.
    [[nodiscard]] std::uint64_t begin() const { return begin_; }
    /// One past the highest address that the file occupies.
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// The file's own idea of where its program headers are; the load address is what AT_PHDR says minus
    /// this.
    [[nodiscard]] std::uint64_t program_headers() const { return program_headers_; }

  private:
    std::string path_;
    std::map<std::string, std::uint64_t, std::less<>> functions_;
    std::vector<Symbol> sorted_functions_;
    std::vector<Symbol> variables_;
    /// What the dynamic linker fills in, by address; read when it is first asked for.
    struct Import {
        std::string name;
        bool is_copy = false;
    };
    [[nodiscard]] static std::map<std::uint64_t, Import> read_imports(const std::string& path);
    [[nodiscard]] const std::string& import_at(std::uint64_t address, bool is_copy) const;
    mutable std::optional<std::map<std::uint64_t, Import>> imports_;
    std::optional<std::uint64_t> call_table_;
    bool has_region_ = false;
    std::uint64_t begin_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t end_ = 0;
    std::uint64_t program_headers_ = 0;
};

/// Reads each file once.
class SymbolFiles {
  public:
    [[nodiscard]] std::shared_ptr<const SymbolFile> open(const std::string& path);

  private:
    std::map<std::string, std::shared_ptr<const SymbolFile>> files_;
};

}  // namespace coopcheck::tracer
