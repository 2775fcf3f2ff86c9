#include "tracer/program_file.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/error.hpp"

namespace coopcheck::tracer {

namespace {

namespace fs = std::filesystem;

fs::path find_program(const std::string& name) {
    if (name.empty()) throw Error("No program was named; give the path of an executable file.");
    if (name.find('/') != std::string::npos) return name;
    const char* folders =
        std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody changes the environment
    std::istringstream rest(folders ? folders : "");
    for (std::string folder; std::getline(rest, folder, ':');) {
        fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    if (fs::exists(name))
        throw Error("'" + name + "' is not in PATH; for the file in this folder say './" + name + "'.");
    throw Error("There is no program '" + name + "' in PATH.");
}

void check_header(const std::string& path, const Elf64_Ehdr& header, std::size_t size) {
    const auto is = [&](std::size_t at, unsigned char value) { return header.e_ident[at] == value; };
    if (size < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        throw Error("'" + path +
                    "' is not an ELF program; coopcheck runs compiled x86-64 programs, for a script give its "
                    "interpreter.");
    }
    if (size < sizeof header || !is(EI_DATA, ELFDATA2LSB) ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_386)) {
        throw Error("'" + path +
                    "' is a program for another kind of machine; coopcheck runs x86-64 programs only.");
    }
    if (!is(EI_CLASS, ELFCLASS64) || header.e_machine != EM_X86_64) {
        throw Error("'" + path + "' is a 32-bit program; build it for x86-64 (without -m32).");
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
        throw Error("'" + path + "' is an ELF file but not an executable; link it into a program first.");
    }
}

}  // namespace

ProgramFile::ProgramFile(const std::string& name) {
    const fs::path found = find_program(name);
    std::error_code error;
    if (!fs::exists(found, error)) throw Error("There is no file '" + name + "'.");
    if (fs::is_directory(found, error)) throw Error("'" + name + "' is a folder, not a program.");
    if (::access(found.c_str(), X_OK) != 0) {
        throw Error("'" + name +
                    "' is not executable for this user; chmod +x it, or check the mount options.");
    }
    std::ifstream file(found, std::ios::binary);
    if (!file)
        throw Error("'" + name + "' cannot be read; coopcheck has to read a program to find its symbols.");
    Elf64_Ehdr header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    check_header(name, header, static_cast<std::size_t>(file.gcount()));
    file.clear();
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    file.read(reinterpret_cast<char*>(segments.data()),
              static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)));
    const auto wanted = std::find_if(segments.begin(), segments.end(),
                                     [](const Elf64_Phdr& segment) { return segment.p_type == PT_INTERP; });
    if (wanted != segments.end() && wanted->p_filesz < 4096) {
        interpreter_.resize(wanted->p_filesz);
        file.seekg(static_cast<std::streamoff>(wanted->p_offset));
        file.read(interpreter_.data(), static_cast<std::streamsize>(interpreter_.size()));
        interpreter_.resize(std::strlen(interpreter_.c_str()));
    }
    path_ = fs::absolute(found).lexically_normal();
}

}  // namespace coopcheck::tracer
