#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/cli_app.hpp"
#include "cmd/oracles.hpp"
#include "cmd/races.hpp"
#include "cmd/report_files.hpp"
#include "cmd/report_style.hpp"
#include "cmd/strategies.hpp"
#include "cmd/write_traces.hpp"
#include "explorer/search_options.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// What libstdc++ waits with (atomic::wait, and on top of it semaphores, latches and barriers) yields four
/// times before it goes to sleep. With less patience nobody would ever be asleep before the others had a
/// turn, and a notification that wakes too few would always be enough.
inline constexpr unsigned spin_patience_for_programs = 4;

struct ExploreOptions {
    std::vector<std::string> command;
    tracer::TracedOptions traced;
    SearchOptions search;
    OracleOptions oracle;
    TraceFolder traces;
    StrategyOptions strategy;
    RaceOptions races;
    /// Where an unfinished search waits; empty for nowhere.
    std::string resume_file;
    double minimize_time_s = 10;
    /// Processes that share the search.
    std::size_t jobs = 1;
    bool show_coverage = false;
    StyleOptions style;
    ReportFiles files;
    /// Knuth's estimate of the number of schedules, before the search.
    bool estimate = false;
    /// The program is a collection of tests: each is a program to itself.
    bool each_test = false;
    /// What it is called in reports; empty: by its file. `brief`: claims are not printed.
    std::string name;
    bool brief = false;
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
