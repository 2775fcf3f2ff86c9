#include "tracer/symbol_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>

namespace coopcheck::tracer {

namespace {

/// Bit of a symbol's version: not the default, only found by programs that were linked against the old one.
constexpr GElf_Versym hidden_version = 0x8000;

class ElfHandle {
  public:
    explicit ElfHandle(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        if (file_ != -1) elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
    }
    ~ElfHandle() {
        elf_end(elf_);
        if (file_ != -1) ::close(file_);
    }
    ElfHandle(const ElfHandle&) = delete;
    ElfHandle& operator=(const ElfHandle&) = delete;
    [[nodiscard]] Elf* get() const { return elf_; }

  private:
    int file_;
    Elf* elf_ = nullptr;
};

Elf_Data* section_data(Elf* elf, std::uint32_t type) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type)
            return elf_getdata(section, nullptr);
    }
    return nullptr;
}

std::optional<std::uint64_t> find_call_table(Elf_Data* dynamic) {
    GElf_Dyn entry;
    for (int nth = 0; dynamic != nullptr && gelf_getdyn(dynamic, nth, &entry) != nullptr; ++nth) {
        if (entry.d_tag == DT_PLTGOT) return entry.d_un.d_ptr;
    }
    return std::nullopt;
}

bool by_address(const SymbolFile::Symbol& left, const SymbolFile::Symbol& right) {
    return left.address < right.address;
}

const SymbolFile::Symbol* find_in(const std::vector<SymbolFile::Symbol>& sorted, std::uint64_t address) {
    auto after =
        std::upper_bound(sorted.begin(), sorted.end(), SymbolFile::Symbol{address, 0, {}}, by_address);
    if (after == sorted.begin()) return nullptr;
    const SymbolFile::Symbol& candidate = *std::prev(after);
    return address < candidate.address + std::max<std::uint64_t>(candidate.size, 1) ? &candidate : nullptr;
}

}  // namespace

SymbolFile::SymbolFile(const std::string& path) : path_(path) {
    const ElfHandle handle(path);
    Elf* elf = handle.get();
    GElf_Ehdr header;
    if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr) return;
    for (int nth = 0; nth < header.e_phnum; ++nth) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, nth, &segment) == nullptr || segment.p_type != PT_LOAD) continue;
        begin_ = std::min<std::uint64_t>(begin_, segment.p_vaddr);
        end_ = std::max(end_, segment.p_vaddr + segment.p_memsz);
        if (segment.p_offset <= header.e_phoff && header.e_phoff < segment.p_offset + segment.p_filesz) {
            program_headers_ = segment.p_vaddr + (header.e_phoff - segment.p_offset);
        }
    }
    std::size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    Elf_Data* versions = section_data(elf, SHT_GNU_versym);
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr table;
        if (gelf_getshdr(section, &table) == nullptr) continue;
        const char* section_name = elf_strptr(elf, names, table.sh_name);
        if (section_name != nullptr && std::string_view(section_name) == "coopcheck_region")
            has_region_ = true;
        if (table.sh_type == SHT_DYNAMIC) call_table_ = find_call_table(elf_getdata(section, nullptr));
        if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
        Elf_Data* data = elf_getdata(section, nullptr);
        const auto count = static_cast<int>(table.sh_entsize == 0 ? 0 : table.sh_size / table.sh_entsize);
        for (int nth = 0; nth < count; ++nth) {
            GElf_Sym symbol;
            if (gelf_getsym(data, nth, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
            const char* text = elf_strptr(elf, table.sh_link, symbol.st_name);
            if (text == nullptr || *text == '\0') continue;
            const std::string name = std::string(text).substr(0, std::string_view(text).find('@'));
            const auto type = GELF_ST_TYPE(symbol.st_info);
            if (type == STT_OBJECT) {
                variables_.push_back({symbol.st_value, symbol.st_size, name});
            } else if (type == STT_FUNC || type == STT_GNU_IFUNC) {
                sorted_functions_.push_back({symbol.st_value, symbol.st_size, name});
                GElf_Versym version = 0;
                if (table.sh_type == SHT_DYNSYM && versions != nullptr)
                    gelf_getversym(versions, nth, &version);
                if ((version & hidden_version) != 0) {
                    functions_.try_emplace(name, symbol.st_value);
                } else {
                    functions_[name] = symbol.st_value;
                }
            }
        }
    }
    // Of names for the same address the first in the table stays in front; the dynamic one is the public one.
    std::stable_sort(variables_.begin(), variables_.end(), by_address);
    std::stable_sort(sorted_functions_.begin(), sorted_functions_.end(), by_address);
    const auto same = [](const Symbol& left, const Symbol& right) { return left.address == right.address; };
    variables_.erase(std::unique(variables_.begin(), variables_.end(), same), variables_.end());
    sorted_functions_.erase(std::unique(sorted_functions_.begin(), sorted_functions_.end(), same),
                            sorted_functions_.end());
}

std::optional<std::uint64_t> SymbolFile::function(std::string_view name) const {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::uint64_t> SymbolFile::variable(std::string_view name) const {
    const auto found = std::find_if(variables_.begin(), variables_.end(),
                                    [&](const Symbol& symbol) { return symbol.name == name; });
    if (found == variables_.end()) return std::nullopt;
    return found->address;
}

const SymbolFile::Symbol* SymbolFile::variable_at(std::uint64_t address) const {
    return find_in(variables_, address);
}
const SymbolFile::Symbol* SymbolFile::function_at(std::uint64_t address) const {
    return find_in(sorted_functions_, address);
}

std::map<std::uint64_t, SymbolFile::Import> SymbolFile::read_imports(const std::string& path) {
    std::map<std::uint64_t, Import> imports;
    const ElfHandle handle(path);
    Elf* elf = handle.get();
    if (elf == nullptr) return imports;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr table;
        if (gelf_getshdr(section, &table) == nullptr || table.sh_type != SHT_RELA || table.sh_entsize == 0)
            continue;
        Elf_Scn* symbols = elf_getscn(elf, table.sh_link);
        GElf_Shdr symbol_table;
        if (symbols == nullptr || gelf_getshdr(symbols, &symbol_table) == nullptr) continue;
        Elf_Data* data = elf_getdata(section, nullptr);
        Elf_Data* symbol_data = elf_getdata(symbols, nullptr);
        for (int nth = 0; nth < static_cast<int>(table.sh_size / table.sh_entsize); ++nth) {
            GElf_Rela relocation;
            GElf_Sym symbol;
            if (gelf_getrela(data, nth, &relocation) == nullptr ||
                gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) == nullptr)
                continue;
            const char* name = elf_strptr(elf, symbol_table.sh_link, symbol.st_name);
            if (name != nullptr && *name != '\0')
                imports.emplace(relocation.r_offset,
                                Import{name, GELF_R_TYPE(relocation.r_info) == R_X86_64_COPY});
        }
    }
    return imports;
}

const std::string& SymbolFile::import_at(std::uint64_t address, bool is_copy) const {
    static const std::string none;
    if (!imports_) imports_ = read_imports(path_);
    const auto found = imports_->find(address);
    return found == imports_->end() || found->second.is_copy != is_copy ? none : found->second.name;
}

const std::string& SymbolFile::imported_at(std::uint64_t slot) const { return import_at(slot, false); }
const std::string& SymbolFile::copied_to(std::uint64_t address) const { return import_at(address, true); }

unsigned SymbolFile::nth_of_its_name(const Symbol& variable) const {
    unsigned nth = 1;
    for (const Symbol& other : variables_) {
        if (other.address < variable.address && other.name == variable.name) nth += 1;
    }
    return nth;
}

std::shared_ptr<const SymbolFile> SymbolFiles::open(const std::string& path) {
    auto& file = files_[path];
    if (!file) file = std::make_shared<SymbolFile>(path);
    return file;
}

}  // namespace coopcheck::tracer
