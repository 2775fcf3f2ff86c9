#include "tests/explorer/recorded_paths.hpp"

namespace coopcheck::testing {

void RecordedPaths::path(const PathReport& report) {
    std::string text;
    std::uint64_t last = 0;
    for (const StepRecord& step : report.steps) {
        const std::uint64_t site = step.operation.site;
        if (site != 0 && site != last) {
            text += (text.empty() ? "" : " ") + std::to_string(site);
            last = site;
        }
    }
    switch (report.end) {
        case PathEnd::Complete:
            complete.insert(text);
            in_order.push_back(text);
            break;
        case PathEnd::Redundant:
            redundant.insert(text);
            break;
        case PathEnd::Abandoned:
            abandoned.insert(text);
            break;
        case PathEnd::Deadlocked:
        case PathEnd::Livelocked:
        case PathEnd::Truncated:
            deadlocked.insert(text);
            break;
    }
}

}  // namespace coopcheck::testing
