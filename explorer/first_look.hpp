#pragma once

#include <cstddef>

#include "core/execution.hpp"
#include "explorer/sample.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/strategy.hpp"

namespace coopcheck {

/// A look at a program that has too many schedules to come to its bugs in order: n threads that run one after
/// the other have n! orders, before the first of them is interrupted. Samples schedules, and drives to the
/// deadlocks that the locks of the first complete one suggest. What it finds is real; what it does not find
/// is no claim.
///
/// `listener` may be null.
[[nodiscard]] SampleResult look_first(Execution& execution, Strategy& strategy, const SampleOptions& options,
                                      SearchListener* listener = nullptr);

}  // namespace coopcheck
