#include "cmd/suppressions.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/step_words.hpp"

namespace coopcheck::cmd {

namespace {

using What = Suppressions::Entry::What;

constexpr std::pair<std::string_view, What> words[] = {
    // NOLINT(modernize-avoid-c-arrays)
    {"function:", What::Function},
    {"object:", What::Object},
    {"file:", What::File},
};

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool matches(const std::string& pattern, const std::string& text) {
    return !text.empty() && ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool matches_file(const std::string& pattern, const Trace& trace, const std::string& source) {
    const std::string place = place_words(source);
    if (place.find(':') != std::string::npos && matches(pattern, place.substr(0, place.rfind(':'))))
        return true;
    const TracePlace* known = find_place(trace, source);
    return known != nullptr && matches(pattern, known->path);
}

bool matches(const Suppressions::Entry& entry, const Trace& trace, const TraceAccess& access) {
    switch (entry.what) {
        case What::Function:
            return matches(entry.pattern, function_words(access.source));
        case What::Object:
            return matches(entry.pattern, access.operation.location) ||
                   matches(entry.pattern, label_of(trace, access.operation.location));
        case What::File:
            return matches_file(entry.pattern, trace, access.source);
    }
    return false;
}

}  // namespace

std::string Suppressions::Entry::text() const {
    for (const auto& [word, kind] : words) {
        if (kind == what) return std::string(word) + pattern;
    }
    return pattern;
}

Suppressions Suppressions::read(const std::string& path) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) {
        throw Error("The suppressions cannot be read: " + printable(path) +
                    " is no file that can be opened; name another one with --suppress.");
    }
    return parse(text, path);
}

Suppressions Suppressions::parse(std::string_view text, const std::string& path) {
    Suppressions suppressions;
    suppressions.path_ = path;
    std::istringstream lines{std::string(text)};
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        number += 1;
        const std::string rest = trimmed(line.substr(0, line.find('#')));
        if (rest.empty()) continue;
        const auto fail = [&](const std::string& what) {
            throw Error(printable(path) + ", line " + std::to_string(number) + ": " + what +
                        "; a line is function:NAME, object:NAME or file:PATTERN.");
        };
        const auto* const word = std::find_if(std::begin(words), std::end(words), [&](const auto& known) {
            return rest.starts_with(known.first);
        });
        if (word == std::end(words)) fail("'" + printable(rest) + "' is no suppression");
        const std::string pattern = trimmed(rest.substr(word->first.size()));
        if (pattern.empty()) fail("nothing follows '" + std::string(word->first) + "'");
        suppressions.all_.push_back({.what = word->second, .pattern = pattern, .line = number});
    }
    return suppressions;
}

bool Suppressions::suppresses(const Trace& trace) {
    const TraceRace& race = *trace.finding.race;
    bool any = false;
    for (Entry& entry : all_) {
        if (matches(entry, trace, race.first) || matches(entry, trace, race.second)) {
            entry.matched += 1;
            any = true;
        }
    }
    suppressed_ += any ? 1 : 0;
    return any;
}

std::vector<std::string> describe(const Suppressions& suppressions) {
    std::vector<std::string> sentences;
    const auto races = [](std::size_t count) {
        return std::to_string(count) + (count == 1 ? " race" : " races");
    };
    if (suppressions.suppressed() > 0) {
        std::string sentence =
            races(suppressions.suppressed()) + " suppressed by " + shell_word(suppressions.path());
        bool first = true;
        for (const Suppressions::Entry& entry : suppressions.entries()) {
            if (entry.matched == 0) continue;
            sentence +=
                (first ? " (" : ", ") + printable(entry.text()) + ": " + std::to_string(entry.matched);
            first = false;
        }
        sentences.push_back(sentence + ")");
    }
    for (const Suppressions::Entry& entry : suppressions.entries()) {
        if (entry.matched > 0) continue;
        sentences.push_back(printable(entry.text()) + ", line " + std::to_string(entry.line) + " of " +
                            shell_word(suppressions.path()) + ", suppressed nothing");
    }
    return sentences;
}

}  // namespace coopcheck::cmd
