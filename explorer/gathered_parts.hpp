#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "explorer/assumptions.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_part.hpp"
#include "explorer/search_result.hpp"
#include "explorer/search_state.hpp"

namespace coopcheck {

/// What the parts of one search have come to, taken together.
struct GatheredParts {
    SearchCounts counts;
    Assumptions assumptions;
    FindingSet findings;
    FindingSet predicted;
    FindingSet races;
    std::set<std::string> blind_spots;
    std::vector<Location> visible;
    bool used_fairness = false;
    /// The execution of one of them has learnt something: schedules made before mean nothing any more.
    bool refined = false;
    /// By the parts alone.
    std::size_t paths = 0;
    std::size_t steps = 0;

    /// What was done before there were parts.
    void take_over(const SearchState& from);
    /// False if what it assumes contradicts what the others do: the search has to begin again. Throws what
    /// went wrong in the part.
    bool take_in(const PartReport& report, Execution& execution, const SearchOptions& options);
    /// Where a search that has to begin again does so.
    [[nodiscard]] SearchState state_for_new_start() const;
    /// Without anything about bounds; `stop`: why the search was not finished, empty if it was.
    [[nodiscard]] SearchResult result(const SearchOptions& options, const std::string& stop) const;
};

}  // namespace coopcheck
