#pragma once

#include <string>

#include "core/execution.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

/// How a run that nobody controlled came to its end, in the words that a controlled one would have used as
/// far as they can be known: a failed assert() is recognized by what it wrote to standard error.
[[nodiscard]] RunEnd end_of_native_run(const WaitStatus& status, const std::string& standard_error);

}  // namespace coopcheck::tracer
