#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/trace.hpp"

namespace coopcheck {

// All texts are safe to print: what comes from the program or from a file has lost its control characters.

/// "deadlock (cycle)", "assertion in T0.1: ..."
[[nodiscard]] std::string describe(const TraceFinding& finding);

/// One line: number, whether it came by a preemption (*), thread, operation, what came of it, source line.
[[nodiscard]] std::string describe_step(std::size_t number, const TraceStep& step);

/// One line: "T0.1 waits in pthread_mutex_lock(a), for T0.2  at ..."
[[nodiscard]] std::string describe_wait(const TraceWait& wait);

/// The finding, its preemptions, how it came about step by step, what was wrong at the end, and what the
/// program had written by then.
[[nodiscard]] std::string report(const Trace& trace);

/// What the program wrote, every line with four spaces before it.
[[nodiscard]] std::string indent(std::string_view text);

}  // namespace coopcheck
