#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/trace.hpp"
#include "reporting/text_style.hpp"

namespace coopcheck {

// All texts are safe to print: what comes from the program or from a file has lost its control characters.

/// "deadlock (cycle)", "assertion in T0.1: ..."
[[nodiscard]] std::string describe(const TraceFinding& finding);

/// One line: number, whether it came by a preemption (*), thread, operation, what came of it, source line.
[[nodiscard]] std::string describe_step(std::size_t number, const TraceStep& step);

/// One line: "T0.1 waits in pthread_mutex_lock(a), for T0.2  at ..."
[[nodiscard]] std::string describe_wait(const TraceWait& wait);

/// "T0.1 -> b.mutex -> T0.2 -> a.mutex -> T0.1": who waits for what, which who has.
[[nodiscard]] std::string describe_cycle(const Trace& trace);

/// The finding, its preemptions, how it came about, what was wrong at the end, what would have been right,
/// and what the program had written by then. The first line is the finding itself.
[[nodiscard]] std::string report(const Trace& trace, const TextStyle& style = {});

/// What the program wrote, every line with four spaces before it.
[[nodiscard]] std::string indent(std::string_view text);

}  // namespace coopcheck
