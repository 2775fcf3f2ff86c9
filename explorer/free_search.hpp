#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "core/free_outcome.hpp"
#include "core/verdict.hpp"
#include "explorer/coverage.hpp"
#include "explorer/noise_policy.hpp"
#include "explorer/search_options.hpp"

namespace coopcheck {

/// Something that went wrong in runs that nobody controlled: the same kind, the same words.
struct SeenFailure {
    FindingKind kind = FindingKind::Crash;
    std::string message;
    /// In how many runs it was seen, and the first of them, counted from 1.
    std::size_t runs = 0;
    std::size_t first_run = 0;
    /// How often it was tried to see it again under control.
    std::size_t attempts = 0;
    /// The same finding under control, with a schedule that shows it; nothing if that did not work or was
    /// not tried.
    std::optional<Finding> reproduced;
    /// It was found by a search, not by following a run that showed it.
    bool by_search = false;
    /// Why the last attempt could not be made, in words for the user; empty if it could.
    std::string obstacle;
};

struct FreeSearchOptions {
    std::size_t runs = 100;
    /// How the user's oracle judges a run that ended by itself; without it they are all good.
    std::function<std::optional<Verdict>(const FreeOutcome&)> judge;
    /// Stop after so many different failures.
    std::size_t max_failures = std::numeric_limits<std::size_t>::max();
    /// Asked between the runs: a reason to stop, in words for the claim.
    std::function<std::optional<std::string>()> interruption;
    /// What the outcome calls a run that took too long.
    std::chrono::milliseconds time_limit = std::chrono::seconds(10);
};

/// What a number of free runs has shown.
struct FreeSearchResult {
    /// Runs that were made and not interrupted.
    std::size_t runs = 0;
    /// How they ended, in words ("exit code 0", "did not end in 10 s"), and how many did so.
    std::map<std::string, std::size_t> ends;
    std::vector<SeenFailure> failures;
    /// Findings with a schedule: failures that were reproduced, and what else came out of trying to.
    std::vector<Finding> findings;
    std::size_t did_not_end = 0;
    std::size_t noises = 0;
    std::size_t refused_priorities = 0;
    /// Why no more runs were made.
    std::string stop;
    bool with_noise = false;

    /// What can be said honestly: counts. Never that the program is correct.
    [[nodiscard]] std::string claim() const;
};

/// Runs the program as it is; `run` makes one run.
[[nodiscard]] FreeSearchResult count_native_runs(const std::function<FreeOutcome()>& run,
                                                 const FreeSearchOptions& options);

/// How what was seen is looked for under control.
struct Reproduction {
    /// The same program with the same input.
    Execution& execution;
    /// Of the free runs.
    const Names& names;
    Judge judge;
    /// How many runs that show the same failure are followed.
    std::size_t most_attempts = 10;
    /// What no run led to is searched for in this way: accesses to memory that decide about it are not
    /// recorded in a free run. Nothing: it is not.
    std::optional<SearchOptions> search;
};

/// Runs the program with noise; `run` makes one run. Coverage grows with each of them and directs the next.
[[nodiscard]] FreeSearchResult search_with_noise(const std::function<FreeOutcome(const DecideNoise&)>& run,
                                                 const NoiseOptions& noise, Coverage& coverage,
                                                 const FreeSearchOptions& options,
                                                 const Reproduction& reproduction);

}  // namespace coopcheck
