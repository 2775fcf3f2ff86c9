#pragma once

#include <string>

#include "core/trace.hpp"
#include "reporting/text_style.hpp"

namespace coopcheck {

/// The line of the source that a place names, with its number, after a margin; nothing if it is not known.
[[nodiscard]] std::string source_line(const Trace& trace, const std::string& source, const Paint& paint,
                                      const std::string& margin);

}  // namespace coopcheck
