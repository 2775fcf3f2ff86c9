#pragma once

#include <string>

#include "core/trace.hpp"

namespace coopcheck {

/// The end of a deadlock as a graph for Graphviz: threads, what they wait for, and who holds it. Of any other
/// finding a graph with the thread that failed.
[[nodiscard]] std::string wait_graph(const Trace& trace);

}  // namespace coopcheck
