#include "cmd/explore_summary.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>

#include "cmd/interrupt.hpp"
#include "explorer/bounded_estimate.hpp"

namespace coopcheck::cmd {

namespace {

constexpr unsigned most_bounds = 4;
constexpr std::size_t fewest_walks = 5;
constexpr std::chrono::milliseconds estimate_time{400};

std::string strategy_word(StrategyName name) {
    switch (name) {
        case StrategyName::ExitBlock:
            return "exitblock";
        case StrategyName::Source:
            return "source";
        case StrategyName::Optimal:
            return "optimal";
        case StrategyName::Random:
            return "random";
        case StrategyName::Uniform:
            return "uniform";
        case StrategyName::History:
            return "history";
        case StrategyName::Pct:
            return "pct";
        case StrategyName::Pos:
            return "pos";
        case StrategyName::Surw:
            return "surw";
        case StrategyName::Auto:
            return "auto";
        case StrategyName::Noise:
            return "noise";
        case StrategyName::None:
            return "none";
    }
    return "";
}

}  // namespace

std::vector<BoundEstimate> estimate_bounds(Execution& execution, const ExploreOptions& options) {
    std::vector<BoundEstimate> estimates;
    const bool is_bounded =
        options.strategy.name == StrategyName::ExitBlock || options.strategy.name == StrategyName::Auto;
    if (!is_bounded || !options.search.bound) return estimates;
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + estimate_time;
    for (unsigned bound = 0; bound < most_bounds && bound <= *options.search.bound; ++bound) {
        const TreeEstimate estimate = estimate_within_bound(
            execution, {.bound = bound, .should_stop = [&] {
                            return InterruptGuard::was_interrupted() || Clock::now() >= end;
                        }});
        // A few walks of a large tree say nothing.
        if (estimate.walks() < fewest_walks) break;
        estimates.push_back({.bound = bound,
                             .log10_schedules = estimate.log10_mean(),
                             .relative_error = estimate.relative_error(),
                             .walks = estimate.walks()});
    }
    return estimates;
}

std::vector<CoverageTask> tasks_of(const Coverage& coverage) {
    std::vector<CoverageTask> tasks;
    for (const std::string& function : coverage.functions()) {
        tasks.push_back({function, "", true, coverage.interrupted().contains(function)});
        tasks.push_back({function, "", false, coverage.not_interrupted().contains(function)});
    }
    for (const std::string& function : coverage.functions()) {
        for (const std::string& other : coverage.functions()) {
            tasks.push_back({function, other, true, coverage.pairs().contains({function, other})});
        }
    }
    return tasks;
}

void describe_run(const ExploreOptions& options, RunSummary& summary) {
    summary.tool = "coopcheck " COOPCHECK_VERSION;
    summary.name = options.name.empty() ? std::filesystem::path(options.command.front()).filename().string()
                                        : options.name;
    summary.strategy = strategy_word(options.strategy.name);
    summary.program.path = options.command.front();
    summary.program.arguments.assign(options.command.begin() + 1, options.command.end());
}

void describe_search(const Exploration& exploration, const Coverage& coverage, RunSummary& summary) {
    summary.claims = exploration.claims;
    summary.complete = exploration.complete;
    summary.interrupted = InterruptGuard::was_interrupted();
    const SearchCounts& counts = exploration.result.counts;
    summary.counts = {
        {"complete", counts.complete}, {"deadlocked", counts.deadlocked}, {"livelocked", counts.livelocked},
        {"pruned", counts.redundant},  {"truncated", counts.truncated},   {"abandoned", counts.abandoned},
        {"steps", counts.steps}};
    summary.paths_at_bound = exploration.result.paths_at_bound;
    summary.coverage = tasks_of(coverage);
}

ExitCode worst_exit_code(const std::vector<RunSummary>& runs) {
    constexpr std::array order{ExitCode::Interrupted, ExitCode::Found,      ExitCode::Bug,
                               ExitCode::CannotDo,    ExitCode::Incomplete, ExitCode::Clean};
    for (const ExitCode code : order) {
        if (std::any_of(runs.begin(), runs.end(),
                        [&](const RunSummary& run) { return run.exit_code == static_cast<int>(code); })) {
            return code;
        }
    }
    return ExitCode::Clean;
}

}  // namespace coopcheck::cmd
