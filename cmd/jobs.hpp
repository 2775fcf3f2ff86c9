#pragma once

#include <memory>

#include "cmd/explore_options.hpp"
#include "cmd/progress.hpp"
#include "explorer/coverage.hpp"
#include "explorer/shared_search.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

struct JobsSetup {
    const ExploreOptions& options;
    const tracer::LaunchOptions& launch;
    /// Has begun the search.
    tracer::TracedExecution& execution;
    /// Hear of the paths that are run here; what the others run is added.
    Progress& progress;
    Coverage& coverage;
};

/// Processes that explore parts of a search (explorer/shared_search.hpp), each on a CPU of its own with
/// copies of the program of its own. None of them outlives coopcheck, whoever is killed.
[[nodiscard]] std::unique_ptr<Workers> make_jobs(const JobsSetup& setup);

/// Throws Error if what was asked for cannot be shared among jobs.
void check_jobs(const ExploreOptions& options);

}  // namespace coopcheck::cmd
