#include "tracer/library_versions.hpp"

#include <Zydis/Zydis.h>
#include <elfutils/libdwfl.h>
#include <gnu/libc-version.h>
#include <seccomp.h>

#include <cstdio>
#include <utility>

namespace coopcheck::tracer {

namespace {

std::string libdw_version() {
    const char* version = dwfl_version(nullptr);
    return version ? version : "unknown";
}

std::string zydis_version() {
    const auto version = ZydisGetVersion();
    return std::to_string(ZYDIS_VERSION_MAJOR(version)) + "." + std::to_string(ZYDIS_VERSION_MINOR(version)) +
           "." + std::to_string(ZYDIS_VERSION_PATCH(version));
}

std::string libseccomp_version() {
    const scmp_version* version = seccomp_version();
    if (!version) return "unknown";
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->micro);
}

}  // namespace

std::string glibc_note(const std::string& version) {
    // Since 2.34 the thread functions live in libc itself; before, in a libpthread of their own.
    constexpr std::pair recommended{2, 34};
    std::pair<int, int> found{0, 0};
    if (std::sscanf(version.c_str(), "%d.%d", &found.first, &found.second) == 2 && found >= recommended)
        return "";
    return "2.34 or later is recommended";
}

std::vector<LibraryVersion> library_versions() {
    const std::string glibc = gnu_get_libc_version();
    return {
        {"glibc", glibc, glibc_note(glibc)},
        {"libdw", libdw_version(), ""},
        {"Zydis", zydis_version(), ""},
        {"libseccomp", libseccomp_version(), ""},
    };
}

}  // namespace coopcheck::tracer
