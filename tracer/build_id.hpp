#pragma once

#include <string>

namespace coopcheck::tracer {

/// The build id of an ELF file (its GNU note) in hexadecimal; empty if it has none or cannot be read.
[[nodiscard]] std::string build_id(const std::string& path);

}  // namespace coopcheck::tracer
