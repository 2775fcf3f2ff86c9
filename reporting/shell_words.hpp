#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopcheck {

/// The word as it has to be typed in a shell to arrive as it is.
[[nodiscard]] std::string shell_word(const std::string& word);
/// Several of them.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);
/// The words of a line as a shell would take it: blanks, '...', "..." and backslashes, nothing else. Nothing
/// if a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> split_shell_words(std::string_view line);

}  // namespace coopcheck
