#pragma once

#include "core/execution.hpp"
#include "explorer/exit_block.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"

namespace coopcheck {

/// Searches the schedules of a program. Starts over, with what it has learnt, whenever an assumption about
/// the program proves wrong. `listener` may be null; it also hears of the paths of searches that were started
/// over.
[[nodiscard]] SearchResult explore(Execution& execution, const SearchOptions& options,
                                   SearchListener* listener = nullptr);

}  // namespace coopcheck
