#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cmd/oracles.hpp"
#include "cmd/write_traces.hpp"
#include "explorer/search_options.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

struct ExploreOptions {
    std::vector<std::string> command;
    tracer::TracedOptions traced;
    SearchOptions search;
    OracleOptions oracle;
    TraceFolder traces;
    std::optional<unsigned> bound;
    bool unbounded = false;
    bool keep_going = false;
    std::optional<double> time_limit_s;
    /// Milliseconds.
    unsigned spin_limit_ms = 1'000;
};

void declare_explore_options(CLI::App& command, ExploreOptions& options);

/// Settles what follows from what was given.
void complete(ExploreOptions& options);

}  // namespace coopcheck::cmd
