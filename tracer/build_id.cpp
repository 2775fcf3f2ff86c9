#include "tracer/build_id.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace coopcheck::tracer {

std::string build_id(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file == -1) return "";
    ::elf_version(EV_CURRENT);
    Elf* elf = ::elf_begin(file, ELF_C_READ_MMAP, nullptr);
    std::string text;
    const void* bytes = nullptr;
    const ssize_t size = elf == nullptr ? 0 : ::dwelf_elf_gnu_build_id(elf, &bytes);
    for (ssize_t at = 0; at < size; ++at) {
        std::array<char, 4> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x",
                      static_cast<unsigned>(static_cast<const unsigned char*>(bytes)[at]));
        text += digits.data();
    }
    ::elf_end(elf);
    ::close(file);
    return text;
}

}  // namespace coopcheck::tracer
