#pragma once

#include <string>
#include <vector>

#include "core/run_summary.hpp"

namespace coopcheck {

/// One page that needs nothing but itself: the summary of the searches, and every finding as a diagram.
[[nodiscard]] std::string html_report(const std::vector<RunSummary>& runs);

}  // namespace coopcheck
