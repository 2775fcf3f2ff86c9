#include "tracer/last_words.hpp"

#include <algorithm>
#include <string_view>

namespace coopcheck::tracer {

std::string last_words(const std::string& standard_error) {
    constexpr std::size_t longest = 400;
    std::string end = standard_error.substr(standard_error.size() - std::min(standard_error.size(), longest));
    while (!end.empty() && end.back() == '\n') end.pop_back();
    return end;
}

std::string sanitizer_report(const std::string& standard_error) {
    const auto line_at = [&](std::size_t place) {
        const std::size_t before = standard_error.rfind('\n', place);
        const std::size_t start = before == std::string::npos ? 0 : before + 1;
        return standard_error.substr(start, standard_error.find('\n', place) - start);
    };
    if (const auto summary = standard_error.find("SUMMARY: "); summary != std::string::npos) {
        const std::string line = line_at(summary);
        if (line.find("Sanitizer: ") != std::string::npos)
            return line.substr(std::string_view("SUMMARY: ").size());
    }
    if (const auto error = standard_error.find(": runtime error: "); error != std::string::npos)
        return line_at(error);
    return "";
}

}  // namespace coopcheck::tracer
