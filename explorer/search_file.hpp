#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/knowledge.hpp"
#include "explorer/search_state.hpp"
#include "explorer/watch_state.hpp"

namespace coopcheck {

/// A search that was stopped, with everything that is needed to go on in another process.
struct SavedSearch {
    /// What must be the same to go on (the program, its arguments, options that change the tree), in words of
    /// the caller's.
    std::map<std::string, std::string> about;
    Knowledge knowledge;
    SearchState state;
    WatchState watch;
};

/// As text: two lines of header, of which the second is a checksum, and the rest for machines alone.
[[nodiscard]] std::string write_search(const SavedSearch& search);

/// Throws Error, which says what is wrong with it, if this is not such a text, or damaged. With the names of
/// an execution that knows some already, everything is in its ids, and what is new is named after its own.
[[nodiscard]] SavedSearch read_search(std::string_view text, const Names& own = {});

}  // namespace coopcheck
