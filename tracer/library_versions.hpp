#pragma once

#include <string>
#include <vector>

namespace coopcheck::tracer {

struct LibraryVersion {
    std::string name;
    std::string version;
    /// What the user should know about this version; usually empty.
    std::string note;
};

/// The libraries that coopcheck runs with, as they report themselves.
[[nodiscard]] std::vector<LibraryVersion> library_versions();

/// "2.34 or later is recommended" for a glibc older than that, else nothing.
[[nodiscard]] std::string glibc_note(const std::string& version);

}  // namespace coopcheck::tracer
