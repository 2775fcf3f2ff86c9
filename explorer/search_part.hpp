#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/knowledge.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_sharer.hpp"
#include "explorer/search_state.hpp"

// A part of a search: branches that can be explored without the others (explorer/search_cut.hpp), as a text
// (explorer/search_file.hpp) for whoever explores it. Numbers of threads and objects are those of the names
// that come with it.

namespace coopcheck {

enum class PartEnd : std::uint8_t {
    Finished,   ///< explored, up to the bound
    Enough,     ///< as many findings as were wanted
    Stopped,    ///< by its budget: `why`
    StartOver,  ///< an assumption was contradicted: the whole search has to begin again
    Failed,     ///< an Error: `why`
    Broken,     ///< a bug in coopcheck: `why`
};

/// What exploring a part came to.
struct PartReport {
    PartEnd end = PartEnd::Finished;
    std::string why;
    /// The execution has learnt something: schedules made before mean nothing any more.
    bool refined = false;
    std::vector<std::string> blind_spots;
    Knowledge knowledge;
    /// Counts and findings of this part alone, and what is assumed; no branches, but the places that a search
    /// for classes has left for more preemptions.
    SearchState state;
    /// A part for the next bound, as a text; empty if there is nothing left.
    std::string rest;
};

/// The branches as a part. What the state says of counts and findings stays away.
[[nodiscard]] std::string write_part(const Knowledge& knowledge, SearchState state);

/// Explores a part. A bounded search explores it within the part's own bound and leaves the rest. `known`:
/// what is assumed now, if that is more than what was when the part was written (a report's state, as a
/// text); may be empty. Nothing is thrown: whoever explores tells it. `listener` and `sharer` may be null.
[[nodiscard]] PartReport run_part(Execution& execution, const SearchOptions& options, const std::string& part,
                                  const std::string& known, SearchListener* listener, SearchSharer* sharer);

[[nodiscard]] std::string write_report(const PartReport& report);
/// In the numbers of an execution with these names; the report's knowledge then has theirs first, and those
/// that are new. The rest is not part of the text.
[[nodiscard]] PartReport read_report(const std::string& text, const Names& own);

}  // namespace coopcheck
