#include "tracer/debug_file.hpp"

namespace coopcheck::tracer {

namespace {

char* no_debuginfo_path = nullptr;

constexpr Dwfl_Callbacks callbacks{
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &no_debuginfo_path,
};

}  // namespace

DebugFile::DebugFile(const std::string& path) : session(dwfl_begin(&callbacks), &dwfl_end) {
    if (!session) return;
    // Reported at its own addresses.
    const std::string name = path.substr(path.rfind('/') + 1);
    module = dwfl_report_elf(session.get(), name.c_str(), path.c_str(), -1, 0, true);
    dwfl_report_end(session.get(), nullptr, nullptr);
    if (module != nullptr) dwfl_module_getelf(module, &bias);
}

}  // namespace coopcheck::tracer
