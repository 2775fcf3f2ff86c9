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

std::string finding_source(const Trace& trace) {
    const std::string& source = trace.finding.source;
    // Where places are known at all, those that are not are in a library: exit() tells nobody anything.
    return trace.places.empty() || find_place(trace, source) != nullptr ? source : "";
}

FindingPlace place_of(const Trace& trace) {
    if (trace.finding.waits.empty()) {
        const std::string source = finding_source(trace);
        // A framework's failed assertion begins with its place: "file.cpp:12: ..."
        const std::string& message = trace.finding.message;
        const std::string start = message.substr(0, message.find(": "));
        if (source.empty() && start.find(' ') == std::string::npos) {
            FindingPlace place = place_of(trace, start);
            if (place.line > 0) {
                place.function.clear();
                place.path = place.file;
                place.file = place.file.substr(place.file.rfind('/') + 1);
                return place;
            }
        }
        return place_of(trace, source);
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
