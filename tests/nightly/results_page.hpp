#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coopcheck::testing {

/// docs/results.md: what was measured, beside what the papers say.
[[nodiscard]] std::string results_page(const nlohmann::json& measured, const nlohmann::json& published,
                                       const std::string& revision);

}  // namespace coopcheck::testing
