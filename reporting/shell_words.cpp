#include "reporting/shell_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace coopcheck {

namespace {

bool is_plain(char byte) {
    constexpr std::string_view plain = "-_./,:+=@%";
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || plain.find(byte) != std::string_view::npos;
}

bool is_visible(char byte) { return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f; }

}  // namespace

std::string shell_word(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
        return word;
    }
    const bool readable = std::all_of(word.begin(), word.end(), [](char byte) {
        return is_visible(byte) && static_cast<unsigned char>(byte) < 0x80;
    });
    // '...' takes everything but a quote as it is; $'...' spells out what cannot be seen or is not ASCII.
    std::string quoted = readable ? "'" : "$'";
    for (const char byte : word) {
        if (readable) {
            quoted += byte == '\'' ? "'\\''" : std::string(1, byte);
        } else if (is_plain(byte) || byte == ' ') {
            quoted += byte;
        } else {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\%03o",
                          static_cast<unsigned>(static_cast<unsigned char>(byte)));
            quoted += code.data();
        }
    }
    return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += (line.empty() ? "" : " ") + shell_word(word);
    }
    return line;
}

std::optional<std::vector<std::string>> split_shell_words(std::string_view line) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
        char byte = line[at];
        if (quote == 0 && (byte == ' ' || byte == '\t' || byte == '\n')) {
            in_word = false;
            continue;
        }
        if (!in_word) words.emplace_back();
        in_word = true;
        if (byte == quote) {
            quote = 0;
            continue;
        }
        if (quote == 0 && (byte == '\'' || byte == '"')) {
            quote = byte;
            continue;
        }
        const bool escapes = byte == '\\' && quote != '\'' && at + 1 < line.size() &&
                             (quote == 0 || line[at + 1] == '"' || line[at + 1] == '\\');
        if (escapes) byte = line[++at];
        words.back() += byte;
    }
    if (quote != 0) return std::nullopt;
    return words;
}

}  // namespace coopcheck
