#include "tracer/program_file.hpp"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;

namespace {

Elf64_Ehdr header_of_a_program() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = EM_X86_64;
    header.e_type = ET_EXEC;
    return header;
}

/// An executable file that is gone when the object is.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& content) : path_(test::target("program_file_test.tmp")) {
        std::ofstream(path_, std::ios::binary) << content;
        ::chmod(path_.c_str(), 0700);
    }
    explicit TemporaryFile(const Elf64_Ehdr& header)
        : TemporaryFile(std::string(reinterpret_cast<const char*>(&header), sizeof header)) {}
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

std::string refusal(const TemporaryFile& file) {
    try {
        const ProgramFile program(file.path());
    } catch (const Error& error) {
        const std::string message = error.what();
        return message.substr(message.find("' ") + 2);
    }
    return "";
}

}  // namespace

TEST_CASE("a program is accepted, with its dynamic linker") {
    CHECK(ProgramFile(test::target("two_threads")).interpreter() == "/lib64/ld-linux-x86-64.so.2");
    CHECK(ProgramFile(test::target("two_threads_static")).interpreter().empty());
    CHECK(ProgramFile("true").path().ends_with("/true"));
}

TEST_CASE("a file that is no program for this machine is refused for the right reason") {
    CHECK(refusal(TemporaryFile("")).starts_with("is not an ELF program"));
    CHECK(refusal(TemporaryFile("#!/bin/sh\necho\n")).starts_with("is not an ELF program"));
    CHECK(refusal(TemporaryFile("\177ELF")).starts_with("is a program for another kind of machine"));
    Elf64_Ehdr header = header_of_a_program();
    CHECK(refusal(TemporaryFile(header)).empty());
    header.e_machine = EM_AARCH64;
    CHECK(refusal(TemporaryFile(header)).starts_with("is a program for another kind of machine"));
    header.e_machine = EM_386;
    header.e_ident[EI_CLASS] = ELFCLASS32;
    CHECK(refusal(TemporaryFile(header)).starts_with("is a 32-bit program"));
    header = header_of_a_program();
    header.e_type = ET_REL;
    CHECK(refusal(TemporaryFile(header)).starts_with("is an ELF file but not an executable"));
}
