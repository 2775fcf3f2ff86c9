#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

/// How a path through the tree of schedules came to its end.
enum class PathEnd {
    Complete,
    Deadlocked,
    Livelocked,  ///< everything came back to where it was
    Redundant,   ///< only delayed threads left: the rest has been seen elsewhere
    Truncated,
    Abandoned,  ///< the last block failed at a lock (the X of figure 4)
};

/// A path as its listener gets it.
struct PathReport {
    PathEnd end;
    /// From the start of the program to the end of the path; the steps of an abandoned block included.
    const std::vector<StepRecord>& steps;
    /// How the run ended, for complete paths.
    const RunEnd* run_end;
    const Execution& execution;
    /// How much of the search is done, from 0 to 1, as if the branches that are known now were all, and
    /// equally large; below 0 where that is not told. Only searches for classes do: how many branches there
    /// are is known to them alone.
    double explored = -1;
    /// Of a search for classes within bounds: the present one, which `explored` is about.
    std::optional<unsigned> bound = std::nullopt;
};

/// Told about every path, in the order of the search. For tests, progress and coverage.
class SearchListener {
  public:
    virtual ~SearchListener() = default;
    virtual void path(const PathReport& report) = 0;
    /// An assumption was contradicted: the search begins again.
    virtual void start_over() {}
};

}  // namespace coopcheck
