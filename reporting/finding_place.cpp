#include "reporting/finding_place.hpp"

#include <algorithm>
#include <cctype>

#include "reporting/step_words.hpp"

namespace coopcheck {

FindingPlace place_of(const Trace& trace, const std::string& source) {
    FindingPlace place;
    const std::string words = place_words(source);
    const std::size_t colon = words.rfind(':');
    const std::string digits = colon == std::string::npos ? "" : words.substr(colon + 1);
    const bool is_number = !digits.empty() && digits.size() < 9 &&
                           std::all_of(digits.begin(), digits.end(),
                                       [](unsigned char digit) { return std::isdigit(digit) != 0; });
    if (!is_number) {
        place.function = source;
        return place;
    }
    place.function = function_words(source);
    place.file = words.substr(0, colon);
    place.line = static_cast<unsigned>(std::stoul(digits));
    if (const TracePlace* known = find_place(trace, source)) {
        place.path = known->path;
        if (known->line >= known->first_line && known->line - known->first_line < known->lines.size()) {
            place.text = known->lines[known->line - known->first_line];
        }
    }
    return place;
}

FindingPlace place_of(const Trace& trace) {
    if (trace.finding.waits.empty()) {
        return place_of(trace, trace.finding.source);
    }
    // The last one to take a step closed it.
    const std::string last = trace.steps.empty() ? "" : trace.steps.back().thread;
    for (const TraceWait& wait : trace.finding.waits) {
        if (wait.thread == last) {
            return place_of(trace, wait.source);
        }
    }
    return place_of(trace, trace.finding.waits.front().source);
}

}  // namespace coopcheck
