#pragma once

#include <string>

#include "tracer/launch.hpp"

namespace coopcheck::tracer {

/// Everything that can be read from our own standard input. Throws Error if it cannot be read.
[[nodiscard]] std::string read_standard_input();

/// What programs that run freely get: what was given, or all of ours, read now; nothing if ours is a
/// terminal, where nobody could say how much of it the program will want.
[[nodiscard]] std::string input_of_free_runs(const LaunchOptions& options);

}  // namespace coopcheck::tracer
