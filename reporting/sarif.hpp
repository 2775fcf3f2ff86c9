#pragma once

#include <string>
#include <vector>

#include "core/run_summary.hpp"

namespace coopcheck {

/// SARIF 2.1.0: a result for each finding, with a code flow whose thread flows carry executionOrder.
[[nodiscard]] std::string sarif_json(const std::vector<RunSummary>& runs);

}  // namespace coopcheck
