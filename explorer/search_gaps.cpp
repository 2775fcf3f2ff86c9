#include "explorer/search_gaps.hpp"

namespace coopcheck {

std::vector<std::string> gaps_of(const SearchCounts& counts, const SearchOptions& options) {
    std::vector<std::string> gaps;
    if (counts.truncated > 0) {
        gaps.push_back(std::to_string(counts.truncated) +
                       " schedules were cut where a thread reached a limit on its steps or spins");
    }
    const bool of_blocks = options.reduction == Reduction::Blocks;
    if (of_blocks && options.nested_locks == NestedLocks::Predict &&
        options.granularity == Granularity::Blocks && options.find_deadlocks) {
        gaps.emplace_back("deadlocks of nested locks are only predicted");
    }
    if (of_blocks && options.footprints == FootprintSource::PlainData &&
        options.pruning == Pruning::ReadWrite) {
        gaps.emplace_back("footprints without locks can prune behaviours away");
    }
    if (!options.find_deadlocks) {
        gaps.emplace_back("deadlocks were not looked for");
    }
    return gaps;
}

std::string reason_of_enough(const SearchOptions& options) {
    return options.max_findings == 1 ? "stopped at the first finding" : "stopped at the limit on findings";
}

}  // namespace coopcheck
