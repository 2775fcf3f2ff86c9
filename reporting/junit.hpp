#pragma once

#include <string>
#include <vector>

#include "core/run_summary.hpp"

namespace coopcheck {

/// JUnit XML: a test case for each program. Something found is a failure, a program that could not be
/// explored an error, a search that was not completed is skipped.
[[nodiscard]] std::string junit_xml(const std::vector<RunSummary>& runs);

}  // namespace coopcheck
