#pragma once

#include "cmd/explore_options.hpp"
#include "core/run_summary.hpp"

namespace coopcheck::cmd {

/// The strategies whose threads run freely: noise, and none.
[[nodiscard]] bool runs_freely(StrategyName name);

/// Runs the program by one of them, reports what was found and says what can be said.
[[nodiscard]] RunSummary explore_freely(const ExploreOptions& options);

}  // namespace coopcheck::cmd
