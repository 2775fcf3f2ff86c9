#include "tracer/time_stamp_reads.hpp"

#include <Zydis/Zydis.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>

#include "tracer/modules.hpp"

namespace coopcheck::tracer {

namespace {

class CodeFile {
  public:
    explicit CodeFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        if (file_ != -1) elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
        if (elf_ != nullptr) frames_ = dwarf_getcfi_elf(elf_);
    }
    ~CodeFile() {
        if (frames_ != nullptr) dwarf_cfi_end(frames_);
        elf_end(elf_);
        if (file_ != -1) ::close(file_);
    }
    CodeFile(const CodeFile&) = delete;
    CodeFile& operator=(const CodeFile&) = delete;

    [[nodiscard]] bool may_read_time_stamps() const {
        if (elf_ == nullptr) return true;
        bool has_code = false;
        for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
             section = elf_nextscn(elf_, section)) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0 ||
                header.sh_type == SHT_NOBITS) {
                continue;
            }
            has_code = true;
            const Elf_Data* data = elf_rawdata(section, nullptr);
            if (data == nullptr) return true;
            if (may_read_time_stamps({static_cast<const unsigned char*>(data->d_buf), data->d_size},
                                     header.sh_addr)) {
                return true;
            }
        }
        return !has_code;
    }

  private:
    [[nodiscard]] bool may_read_time_stamps(std::span<const unsigned char> code,
                                            std::uint64_t address) const {
        for (std::size_t at = 0; at + 1 < code.size(); ++at) {
            if (code[at] != 0x0f) continue;
            const bool looks_like_one =
                code[at + 1] == 0x31 ||
                (code[at + 1] == 0x01 && at + 2 < code.size() && code[at + 2] == 0xf9);
            if (looks_like_one && may_be_instruction(code, address, at)) return true;
        }
        return false;
    }

    /// The bytes may also be a part of another instruction. A rule for unwinding begins at an instruction;
    /// from there on the instructions follow each other.
    [[nodiscard]] bool may_be_instruction(std::span<const unsigned char> code, std::uint64_t address,
                                          std::size_t at) const {
        const auto start = rule_start(address + at);
        if (!start || *start < address) return true;
        ZydisDecoder decoder;
        if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
            return true;
        std::size_t next = *start - address;
        while (next <= at) {
            ZydisDecodedInstruction instruction;
            const auto rest = code.subspan(next);
            if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, rest.data(), rest.size(),
                                                            &instruction))) {
                return true;
            }
            if (next + instruction.length > at) {
                return instruction.mnemonic == ZYDIS_MNEMONIC_RDTSC ||
                       instruction.mnemonic == ZYDIS_MNEMONIC_RDTSCP;
            }
            next += instruction.length;
        }
        return true;
    }

    [[nodiscard]] std::optional<std::uint64_t> rule_start(std::uint64_t place) const {
        Dwarf_Frame* frame = nullptr;
        if (frames_ == nullptr || dwarf_cfi_addrframe(frames_, place, &frame) != 0) return std::nullopt;
        const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> owner(frame, &std::free);
        Dwarf_Addr start = 0;
        if (dwarf_frame_info(frame, &start, nullptr, nullptr) == -1) return std::nullopt;
        return start;
    }

    int file_;
    Elf* elf_ = nullptr;
    Dwarf_CFI* frames_ = nullptr;
};

}  // namespace

bool TimeStampReads::may_be_in(const std::string& path) {
    if (is_runtime_library(path)) return false;
    const auto [position, is_new] = known_.try_emplace(path);
    if (is_new) position->second = CodeFile(path).may_read_time_stamps();
    return position->second;
}

}  // namespace coopcheck::tracer
