#pragma once

#include <vector>

#include "cmd/exit_code.hpp"
#include "cmd/explore_options.hpp"
#include "cmd/strategies.hpp"
#include "core/run_summary.hpp"
#include "explorer/coverage.hpp"

namespace coopcheck::cmd {

/// Knuth's estimates for the first bounds, within a fraction of a second. None where the search is not
/// bounded.
[[nodiscard]] std::vector<BoundEstimate> estimate_bounds(Execution& execution, const ExploreOptions& options);

/// After a search that did not get to its end and found nothing: how large the tree is, as a sentence; empty
/// where there is nothing to say. Takes a fraction of a second.
[[nodiscard]] std::string claim_of_size(Execution& execution, const ExploreOptions& options,
                                        const Exploration& exploration);

/// What is explored, and how.
void describe_run(const ExploreOptions& options, RunSummary& summary);
/// What the search says, for reports: claims, counts, coverage.
void describe_search(const Exploration& exploration, const Coverage& coverage, RunSummary& summary);
/// What breaks the discipline, what was suppressed, how many schedules were watched.
void describe_races(const SortedRaces& races, const RaceWatch& watch, RunSummary& summary);
[[nodiscard]] std::vector<CoverageTask> tasks_of(const Coverage& coverage);

/// Of several programs: a finding counts most, then what could not be explored, then what is not complete.
[[nodiscard]] ExitCode worst_exit_code(const std::vector<RunSummary>& runs);

}  // namespace coopcheck::cmd
