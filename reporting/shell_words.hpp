#pragma once

#include <string>
#include <vector>

namespace coopcheck {

/// The word as it has to be typed in a shell to arrive as it is.
[[nodiscard]] std::string shell_word(const std::string& word);
/// Several of them.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

}  // namespace coopcheck
