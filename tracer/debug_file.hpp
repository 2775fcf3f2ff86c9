#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <memory>
#include <string>

#include "tracer/scopes.hpp"

namespace coopcheck::tracer {

/// The debug information of one file, to be asked with addresses in the file plus `bias`. Slow to open.
struct DebugFile {
    explicit DebugFile(const std::string& path);

    std::unique_ptr<Dwfl, decltype(&dwfl_end)> session;
    /// Null of a file that cannot be read.
    Dwfl_Module* module = nullptr;
    GElf_Addr bias = 0;
    Scopes scopes;
};

}  // namespace coopcheck::tracer
