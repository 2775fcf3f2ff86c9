#pragma once

#include <string>

namespace coopcheck::testing {

/// Whether no process of the machine has `mark` among its arguments, given time: those that the kernel has
/// just killed take a moment to go.
[[nodiscard]] bool all_gone(const std::string& mark);

}  // namespace coopcheck::testing
