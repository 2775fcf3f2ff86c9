#pragma once

#include <vector>

#include "core/trace.hpp"

namespace coopcheck {

/// Which steps somebody has to see to understand the finding, one entry for each. Of a deadlock: those on the
/// objects that are waited for or held at its end; otherwise those on what several threads use. Always the
/// preemptions, the decisive step and the last one.
[[nodiscard]] std::vector<bool> relevant_steps(const Trace& trace);

/// What a thread holds at the end of the trace: the objects, with the places of the steps that took them.
struct Holding {
    std::string thread;
    std::string object;
    std::size_t since = 0;
};
[[nodiscard]] std::vector<Holding> holdings_at_end(const Trace& trace);

}  // namespace coopcheck
