#pragma once

#include <functional>
#include <optional>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "explorer/search_options.hpp"

namespace coopcheck {

struct SideBySideOptions {
    /// As in the search that found the race.
    SearchOptions search;
    /// Asked between schedules; may be empty.
    std::function<bool()> should_stop;
};

/// A schedule that puts the two accesses of a race next to each other: it ends where both threads are parked
/// before them. `race` was seen in a schedule that was watched. Its bytes become visible; then the schedule
/// is run again, but the first thread stops before its access and the others go on as far as they can without
/// it. That is possible because nothing orders the two, unless the program goes another way by what it reads.
/// Then a search with few preemptions looks for it.
///
/// Nothing if none was found: some accesses are never operations (free, buffers of system calls). Leaves the
/// execution anywhere, with the finding's locations visible from the next restart().
[[nodiscard]] std::optional<Finding> put_side_by_side(Execution& execution, const Finding& race,
                                                      const SideBySideOptions& options);

}  // namespace coopcheck
