#pragma once

#include <string>
#include <vector>

#include "cmd/cli_app.hpp"
#include "cmd/suppressions.hpp"
#include "core/finding.hpp"
#include "core/trace.hpp"
#include "explorer/race_watch.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

struct RaceOptions {
    RaceSampling races = RaceSampling::Sample;
    Points points = Points::Racy;
    FootprintSource footprints = FootprintSource::Locks;
    /// Of data footprints: pages instead of bytes.
    bool whole_pages = false;
    /// Empty for none.
    std::string suppress_file;
    /// A table of what was learnt of the program's memory.
    bool show_storage = false;
    /// --max-findings was given: races count.
    bool limited = false;

    [[nodiscard]] Watching search_watches() const {
        if (footprints != FootprintSource::Data) return Watching::Off;
        return whole_pages ? Watching::FirstTouch : Watching::Every;
    }
};

void declare_races(CLI::App& command, RaceOptions& options);

/// What a search has come to know of races, sorted.
struct SortedRaces {
    /// To be reported, each pair of places and piece of memory once.
    std::vector<Finding> findings;
    /// Accesses with no lock in common that were in order in every schedule seen: no findings, but claims
    /// depend on them.
    std::vector<Trace> undisciplined;
    /// Pairs of accesses that libraries without debug information make among themselves: they may be atomic.
    std::size_t unjudged = 0;
    /// Some of the heap was not watched.
    bool is_static = false;
    Suppressions suppressions;
};

/// `suppressions` as read from the file; they come back with their counts.
[[nodiscard]] SortedRaces sort_races(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                                     const std::vector<Finding>& races, Suppressions suppressions);

/// How many of the races sort_races() would report, by what can be said of them without running anything.
[[nodiscard]] std::size_t count_races(tracer::TracedExecution& execution, const std::vector<Finding>& races,
                                      Suppressions suppressions);

/// For the terminal: what breaks the discipline, and what became of the suppressions.
[[nodiscard]] std::string describe(const SortedRaces& races);

/// What a claim says about the accesses to shared data. `run`: paths of the search, also those that the watch
/// has not heard of (of other jobs).
[[nodiscard]] std::string condition_on_data(const RaceWatch& watch, const SortedRaces& races,
                                            std::size_t run);

}  // namespace coopcheck::cmd
