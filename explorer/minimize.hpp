#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "explorer/decision.hpp"
#include "explorer/search_options.hpp"
#include "explorer/walk.hpp"

namespace coopcheck {

struct MinimizeOptions {
    /// Asked between schedules; once it has said yes it must not change its mind. May be empty.
    std::function<bool()> should_stop;
    /// The locations whose accesses are steps of the schedule (Execution::set_visible).
    std::vector<Location> visible;
    /// It is known already that schedules with fewer preemptions than this do not show the finding, for
    /// example because a search finished the bounds below without it.
    unsigned proved_below = 0;
    /// How the search below is made, and who judges runs that end by themselves: as in the search that found
    /// it. What to look for, the bound, the granularity and who may interrupt are set by minimize().
    SearchOptions search;
};

struct MinimizeResult {
    /// The same finding (Finding::key()) with its best schedule, executed.
    Finding finding;
    /// The locations whose accesses are steps of that schedule, and of the passing one.
    std::vector<Location> visible;
    ScheduleCost cost;

    /// No schedule with fewer preemptions than this shows the finding (as far as trusted code may be
    /// trusted): all of them were covered by a search.
    unsigned proved_below = 0;
    /// No schedule has fewer preemptions than this one; otherwise it is the best one found. Switches and
    /// steps are never proved to be the fewest.
    [[nodiscard]] bool proved() const { return proved_below >= finding.preemptions; }
    /// Why it is not proved, in words for the user; empty if it is.
    std::vector<std::string> gaps;

    /// Under which conditions it is proved, beyond those that always apply (SearchResult::conditions).
    std::vector<std::string> conditions;

    /// Where it was decided, and the nearest schedule that passes.
    DecisionSearch decision;
    /// Told to stop before everything was tried.
    bool stopped = false;
    /// Schedules run by delta debugging, and paths run by the search below the best number of preemptions.
    std::size_t candidates = 0;
    std::size_t paths = 0;
};

/// Looks for the simplest schedule that shows the finding: fewest preemptions, then fewest switches, steps
/// and threads. Delta debugging makes it small; a bounded search (iterative context bounding) then either
/// finds a schedule with fewer preemptions or proves that there is none. Never worse than the schedule of the
/// finding.
///
/// Throws an Error if the schedule does not show the finding, and for findings that no end and no deadlock of
/// a run shows (races that are not side by side, predictions). Leaves the execution anywhere, with the
/// result's locations visible from the next restart().
[[nodiscard]] MinimizeResult minimize(Execution& execution, const Finding& finding,
                                      const MinimizeOptions& options);

}  // namespace coopcheck
