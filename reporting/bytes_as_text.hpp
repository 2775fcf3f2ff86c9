#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coopcheck {

/// Any bytes as UTF-8 text, and back: a byte that is not part of valid UTF-8 becomes \xHH, a backslash
/// becomes two.
[[nodiscard]] std::string bytes_to_text(std::string_view bytes);
/// Nothing if a backslash stands before something else.
[[nodiscard]] std::optional<std::string> text_to_bytes(std::string_view text);

/// For terminals, one way: what is not UTF-8 and all control characters become \xHH, line ends and tabs
/// excepted if `keep_lines`. A trace from somewhere else must not be able to write to the terminal as it
/// likes.
[[nodiscard]] std::string printable(std::string_view bytes, bool keep_lines = false);

}  // namespace coopcheck
