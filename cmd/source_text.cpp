#include "cmd/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace coopcheck::cmd {

namespace {

namespace fs = std::filesystem;

constexpr unsigned lines_around = 4;
constexpr std::size_t longest_line = 400;
constexpr std::uintmax_t largest_file = 16U << 20U;

/// The file itself, or, for programs that were built elsewhere, the longest end of its path that leads to a
/// file from here.
fs::path find_file(const std::string& path) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
    fs::path rest = fs::path(path).relative_path();
    while (!rest.empty()) {
        if (fs::is_regular_file(rest, error)) return rest;
        fs::path shorter;
        for (auto part = std::next(rest.begin()); part != rest.end(); ++part) shorter /= *part;
        rest = shorter;
    }
    return {};
}

std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    const fs::path found = find_file(path);
    std::error_code error;
    if (found.empty() || fs::file_size(found, error) > largest_file || error) return lines;
    std::ifstream file(found);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(line.substr(0, longest_line));
    }
    return lines;
}

}  // namespace

void add_source_text(Trace& trace) {
    std::map<std::string, std::vector<std::string>> files;
    for (TracePlace& place : trace.places) {
        if (place.path.empty() || place.line == 0) continue;
        const auto [position, is_new] = files.try_emplace(place.path);
        if (is_new) position->second = lines_of(place.path);
        const std::vector<std::string>& lines = position->second;
        if (place.line > lines.size()) continue;
        place.first_line = place.line > lines_around ? place.line - lines_around : 1;
        const std::size_t last = std::min<std::size_t>(place.line + lines_around, lines.size());
        place.lines.assign(lines.begin() + place.first_line - 1,
                           lines.begin() + static_cast<std::ptrdiff_t>(last));
    }
}

}  // namespace coopcheck::cmd
