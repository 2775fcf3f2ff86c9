#pragma once

#include <string>

namespace coopcheck::tracer {

/// A C++ name as written in the source; any other name as it is.
[[nodiscard]] std::string demangled(const std::string& name);

}  // namespace coopcheck::tracer
