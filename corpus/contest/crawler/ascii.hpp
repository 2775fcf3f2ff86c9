#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace crawler {

// Letters as addresses, tags and robots.txt have them, whatever the locale is.

[[nodiscard]] constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
    return result;
}

/// Without the white space at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// Cuts the text at the first separator: returns what is before it and leaves what is after it.
[[nodiscard]] constexpr std::string_view cut(std::string_view& text, char separator) {
    const std::string_view before = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(before.size() + 1, text.size()));
    return before;
}

}  // namespace crawler
