#pragma once

#include <string>

#include "core/trace.hpp"

namespace coopcheck {

/// Where in the source something is; what is not known is empty or 0.
struct FindingPlace {
    std::string function;
    std::string file;
    std::string path;
    unsigned line = 0;
    /// The line itself.
    std::string text;
};

/// Of a source "function file:line" that the trace names.
[[nodiscard]] FindingPlace place_of(const Trace& trace, const std::string& source);
/// TraceFinding::source, if that is in the program's own source.
[[nodiscard]] std::string finding_source(const Trace& trace);
/// Where the finding shows: of a deadlock, the wait that closed it.
[[nodiscard]] FindingPlace place_of(const Trace& trace);

}  // namespace coopcheck
