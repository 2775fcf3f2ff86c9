#include "reporting/bytes_as_text.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reporting/shell_words.hpp"

namespace coopcheck::testing {

TEST_SUITE("bytes as text") {
    TEST_CASE("all sequences of two bytes survive as text, and the text is UTF-8") {
        for (int first = 0; first < 256; ++first) {
            for (int second = 0; second < 256; ++second) {
                const std::string bytes{static_cast<char>(first), static_cast<char>(second)};
                const std::string text = bytes_to_text(bytes);
                REQUIRE(text_to_bytes(text) == bytes);
                // The library throws on text that is not UTF-8.
                REQUIRE_NOTHROW(static_cast<void>(nlohmann::json(text).dump()));
            }
        }
    }

    TEST_CASE("what is not UTF-8 is spelled out, what is stays") {
        CHECK(bytes_to_text("a\xff") == "a\\xff");
        CHECK(bytes_to_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") ==
              "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
        CHECK(bytes_to_text("\xc0\x80") == "\\xc0\\x80");                    // an overlong zero
        CHECK(bytes_to_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
        CHECK(bytes_to_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
        CHECK(bytes_to_text("\xe2\x82") == "\\xe2\\x82");                    // cut short
        CHECK(bytes_to_text("\\xff") == "\\\\xff");
    }

    TEST_CASE("a backslash before anything else is no text of ours") {
        CHECK(text_to_bytes("\\") == std::nullopt);
        CHECK(text_to_bytes("\\n") == std::nullopt);
        CHECK(text_to_bytes("\\x4") == std::nullopt);
        CHECK(text_to_bytes("\\x4g") == std::nullopt);
        CHECK(text_to_bytes("\\x41") == "A");
    }

    TEST_CASE("printable text moves no cursor") {
        CHECK(printable("a\x1b[2J\r\n\t\x7f\xff") == "a\\x1b[2J\\x0d\\x0a\\x09\\x7f\\xff");
        CHECK(printable("a\n\tb\r", true) == "a\n\tb\\x0d");
        CHECK(printable("\xc2\x9b"
                        "31m") == "\\xc2\\x9b31m");  // the one-character form of ESC [
        CHECK(printable("caf\xc3\xa9 \\") == "caf\xc3\xa9 \\");
    }

    TEST_CASE("a line is split into the words that a shell would make of it") {
        using Words = std::vector<std::string>;
        CHECK(split_shell_words("") == Words{});
        CHECK(split_shell_words("  -batch\t-ex 'thread apply all bt'\n") ==
              Words{"-batch", "-ex", "thread apply all bt"});
        CHECK(split_shell_words(R"("a \"b\" \c" d\ e 'f\' '')") == Words{R"(a "b" \c)", "d e", R"(f\)", ""});
        CHECK(split_shell_words("x'y'\"z\"") == Words{"xyz"});
        CHECK(split_shell_words("'open") == std::nullopt);
        CHECK(split_shell_words("open\"") == std::nullopt);
        const Words odd{"", "it's", "a b", "$x", "\\"};
        CHECK(split_shell_words(shell_words(odd)) == odd);
    }

    TEST_CASE("a shell gets the words back") {
        CHECK(shell_word("coopcheck-out/trace.json") == "coopcheck-out/trace.json");
        CHECK(shell_word("") == "''");
        CHECK(shell_word("two words") == "'two words'");
        CHECK(shell_word("it's") == "'it'\\''s'");
        CHECK(shell_word("$(rm)") == "'$(rm)'");
        CHECK(shell_word("a\nb'\xff") == "$'a\\012b\\047\\377'");
        CHECK(shell_words({"a", "b c"}) == "a 'b c'");
    }
}

}  // namespace coopcheck::testing
