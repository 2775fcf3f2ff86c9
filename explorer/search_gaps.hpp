#pragma once

#include <string>
#include <vector>

#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"

namespace coopcheck {

/// Why not even the bounds that were finished are covered.
[[nodiscard]] std::vector<std::string> gaps_of(const SearchCounts& counts, const SearchOptions& options);

/// Why a search stopped that has as many findings as were wanted.
[[nodiscard]] std::string reason_of_enough(const SearchOptions& options);

}  // namespace coopcheck
