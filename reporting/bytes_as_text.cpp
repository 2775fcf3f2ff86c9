#include "reporting/bytes_as_text.hpp"

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>

namespace coopcheck {

namespace {

/// The length of the valid UTF-8 character at the start of `bytes` (table 3-7 of the Unicode standard), 0 if
/// there is none.
std::size_t character_length(std::string_view bytes) {
    const auto byte = [&](std::size_t at) {
        return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : std::uint8_t{0};
    };
    const auto in = [&](std::size_t at, unsigned low, unsigned high) {
        return byte(at) >= low && byte(at) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) {
        return bytes.empty() ? 0 : 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return in(1, 0x80, 0xbf) ? 2 : 0;
    }
    if (first >= 0xe0 && first <= 0xef) {
        const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
        const unsigned high = first == 0xed ? 0x9f : 0xbf;
        return in(1, low, high) && in(2, 0x80, 0xbf) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const unsigned low = first == 0xf0 ? 0x90 : 0x80;
        const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
        return in(1, low, high) && in(2, 0x80, 0xbf) && in(3, 0x80, 0xbf) ? 4 : 0;
    }
    return 0;
}

std::string escaped(char byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "\\x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(byte)));
    return text.data();
}

int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/// U+0080 to U+009F: terminals may take them for control characters as well.
bool is_second_control(std::string_view character) {
    return character.size() == 2 && character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

std::string bytes_to_text(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = character_length(bytes.substr(at));
        if (length == 0) {
            text += escaped(bytes[at]);
            at += 1;
            continue;
        }
        text += bytes[at] == '\\' ? "\\\\" : bytes.substr(at, length);
        at += length;
    }
    return text;
}

std::optional<std::string> text_to_bytes(std::string_view text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            bytes += text[at];
            continue;
        }
        const std::string_view rest = text.substr(at + 1);
        if (rest.starts_with('\\')) {
            bytes += '\\';
            at += 1;
        } else if (rest.size() >= 3 && rest[0] == 'x' && hex_digit(rest[1]) >= 0 && hex_digit(rest[2]) >= 0) {
            bytes += static_cast<char>(hex_digit(rest[1]) * 16 + hex_digit(rest[2]));
            at += 3;
        } else {
            return std::nullopt;
        }
    }
    return bytes;
}

std::string printable(std::string_view bytes, bool keep_lines) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
        const char byte = bytes[at];
        const std::size_t length = character_length(bytes.substr(at));
        const bool is_line = byte == '\n' || byte == '\t';
        const bool is_control = (static_cast<unsigned char>(byte) < 0x20 && !(is_line && keep_lines)) ||
                                byte == 0x7f || is_second_control(bytes.substr(at, length));
        if (length == 0 || is_control) {
            text += escaped(byte);
            at += 1;
            continue;
        }
        text += bytes.substr(at, length);
        at += length;
    }
    return text;
}

}  // namespace coopcheck
