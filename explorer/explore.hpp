#pragma once

#include <optional>

#include "core/execution.hpp"
#include "explorer/exit_block.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/search_state.hpp"

namespace coopcheck {

/// Where a search goes on, and where it leaves what it could not finish.
struct Continuation {
    /// The state of a search that was stopped; the execution knows what that one's knew
    /// (Execution::know()). None: from the start.
    std::optional<SearchState> from;
    /// May be null.
    SearchKeeper* keeper = nullptr;
};

/// Searches the schedules of a program. Starts over, with what it has learnt, whenever an assumption about
/// the program proves wrong. `listener` may be null; it also hears of the paths of searches that were started
/// over.
[[nodiscard]] SearchResult explore(Execution& execution, const SearchOptions& options,
                                   SearchListener* listener = nullptr, const Continuation& continuation = {});

}  // namespace coopcheck
