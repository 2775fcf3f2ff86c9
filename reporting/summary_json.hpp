#pragma once

#include <string>
#include <vector>

#include "core/run_summary.hpp"

namespace coopcheck {

/// The version of what summary_json() writes (docs/reports.md).
inline constexpr unsigned report_version = 1;

/// Everything the searches came to, as JSON: claims, counts, findings with their places; not the steps, which
/// are in the traces.
[[nodiscard]] std::string summary_json(const std::vector<RunSummary>& runs);

}  // namespace coopcheck
