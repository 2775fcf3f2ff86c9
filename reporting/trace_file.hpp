#pragma once

#include <string>
#include <string_view>

#include "core/trace.hpp"

namespace coopcheck {

/// The version of the format (docs/trace-format.md) that is written, and the newest that is read.
inline constexpr unsigned trace_version = 3;

/// The text of a trace file: JSON with its keys always in the same order, one step a line. Never fails: what
/// is not UTF-8 is escaped.
[[nodiscard]] std::string to_json(const Trace& trace);

/// The trace in a text from anywhere. Throws Error with a sentence that starts with `name`, and says what is
/// wrong where and what to do.
[[nodiscard]] Trace trace_from_json(std::string_view text, const std::string& name);

/// The trace in a file. Throws Error.
[[nodiscard]] Trace read_trace(const std::string& path);

/// Writes the trace at once or not at all, in place of what was there: nobody ever sees half a file, and no
/// other file is left behind by whoever is killed here. Throws Error.
void write_trace(const Trace& trace, const std::string& path);

}  // namespace coopcheck
