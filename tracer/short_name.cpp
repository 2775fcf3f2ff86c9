#include "tracer/short_name.hpp"

#include <cctype>
#include <cstddef>

namespace coopcheck::tracer {

namespace {

constexpr std::size_t longest_template_arguments = 24;

/// The end of the group that opens at `open`, one past what closes it.
std::size_t group_end(std::string_view text, std::size_t open) {
    const char opening = text[open];
    const char closing = opening == '(' ? ')' : opening == '<' ? '>' : ']';
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        if (text[at] == opening) depth += 1;
        // Not the arrow of an operator or of a return type.
        if (text[at] == closing && !(closing == '>' && at > 0 && text[at - 1] == '-')) depth -= 1;
        if (depth == 0) return at + 1;
    }
    return text.size();
}

void erase_all(std::string& text, std::string_view part) {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
        text.erase(at, part.size());
    }
}

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Whether the word before `at` is `operator`, which may be followed by any bracket.
bool follows_operator(std::string_view text, std::size_t at) {
    constexpr std::string_view word = "operator";
    if (at < word.size() || text.substr(at - word.size(), word.size()) != word) return false;
    return at == word.size() || !is_word(text[at - word.size() - 1]);
}

}  // namespace

std::string short_name(std::string_view demangled) {
    std::string text(demangled);
    erase_all(text, "(anonymous namespace)::");
    std::string name;
    for (std::size_t at = 0; at < text.size();) {
        const char letter = text[at];
        if (follows_operator(text, at) && (letter == '(' || letter == '<' || letter == '[')) {
            while (at < text.size() && !is_word(text[at]) && text[at] != ':') {
                name += text[at];
                at += 1;
                if (text[at - 1] == ')' || text[at - 1] == ']') break;
                if (at < text.size() && text[at] == '(' && letter != '(') break;
            }
        } else if (letter == '(' || letter == '[') {
            at = group_end(text, at);
        } else if (letter == '<') {
            const std::size_t end = group_end(text, at);
            name += end - at <= longest_template_arguments ? text.substr(at, end - at) : "<...>";
            at = end;
        } else if (letter == ' ' && !follows_operator(text, at)) {
            // A return type was before; qualifiers are after.
            const std::string_view rest = std::string_view(text).substr(at);
            if (rest.starts_with(" const") || rest.starts_with(" volatile") || rest.starts_with(" &") ||
                rest.starts_with(" [clone") || rest.starts_with(" (.")) {
                at += rest.starts_with(" const") ? 6 : rest.size();
                if (at < text.size() && text[at] != ':') break;
                continue;
            }
            name.clear();
            at += 1;
        } else {
            name += letter;
            at += 1;
        }
    }
    constexpr std::string_view call = "}::operator()";
    for (std::size_t at = name.find(call); at != std::string::npos; at = name.find(call)) {
        name.erase(at + 1, call.size() - 1);
    }
    return name.empty() ? text : name;
}

}  // namespace coopcheck::tracer
