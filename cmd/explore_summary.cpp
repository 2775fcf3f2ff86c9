#include "cmd/explore_summary.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "cmd/interrupt.hpp"
#include "explorer/bounded_estimate.hpp"

namespace coopcheck::cmd {

namespace {

constexpr unsigned most_bounds = 4;
constexpr std::size_t fewest_walks = 5;
constexpr std::size_t walks_per_bound = 20;
/// After the search: so many walks, that the same search says the same; less only of a slow program.
constexpr std::size_t walks_after = 100;
constexpr std::chrono::milliseconds time_after{1000};
constexpr std::chrono::milliseconds estimate_time{400};

/// Walks through the schedules within a bound until the time is up. Nothing if there were too few of them: a
/// few walks of a large tree say nothing.
std::optional<BoundEstimate> estimate_bound(Execution& execution, unsigned bound, std::size_t walks,
                                            std::chrono::steady_clock::time_point end) {
    const TreeEstimate estimate = estimate_within_bound(
        execution, {.bound = bound, .walks = walks, .should_stop = [&] {
                        return InterruptGuard::was_interrupted() || std::chrono::steady_clock::now() >= end;
                    }});
    if (estimate.walks() < fewest_walks) return std::nullopt;
    return BoundEstimate{.bound = bound,
                         .log10_schedules = estimate.log10_mean(),
                         .relative_error = estimate.relative_error(),
                         .walks = estimate.walks()};
}

/// Two digits: "about 1200", "about 3.4*10^7".
std::string about(double log10_number) {
    std::array<char, 48> text{};
    if (log10_number < 4) {
        const double number = std::pow(10.0, log10_number);
        const double unit = number < 100 ? 1 : std::pow(10.0, std::floor(log10_number) - 1);
        std::snprintf(text.data(), text.size(), "about %.0f", std::round(number / unit) * unit);
    } else {
        double exponent = std::floor(log10_number);
        double digits = std::round(10 * std::pow(10.0, log10_number - exponent)) / 10;
        if (digits >= 10) {
            digits /= 10;
            exponent += 1;
        }
        std::snprintf(text.data(), text.size(), "about %.1f*10^%.0f", digits, exponent);
    }
    return text.data();
}

std::string strategy_word(StrategyName name) {
    switch (name) {
        case StrategyName::Default:
            return "";
        case StrategyName::Classes:
            return "classes";
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
    const auto end = std::chrono::steady_clock::now() + estimate_time;
    for (unsigned bound = 0; bound < most_bounds && bound <= *options.search.bound; ++bound) {
        const auto estimate = estimate_bound(execution, bound, walks_per_bound, end);
        if (!estimate) break;
        estimates.push_back(*estimate);
    }
    return estimates;
}

std::string claim_of_size(Execution& execution, const ExploreOptions& options,
                          const Exploration& exploration) {
    const SearchResult& result = exploration.result;
    if (exploration.complete || !result.findings.empty() || InterruptGuard::was_interrupted()) return "";
    constexpr unsigned any = std::numeric_limits<unsigned>::max();
    // A search by rising bounds was stopped within one of them; the others have no bound.
    const bool rises = (options.strategy.name == StrategyName::ExitBlock ||
                        options.strategy.name == StrategyName::Classes) &&
                       options.search.bound;
    const unsigned unfinished = result.finished_bound ? *result.finished_bound + 1 : 0;
    const unsigned bound = rises ? std::min(unfinished, *options.search.bound) : any;
    const auto estimate =
        estimate_bound(execution, bound, walks_after, std::chrono::steady_clock::now() + time_after);
    // A few walks of a large and uneven tree can come to less than was run.
    const auto run = static_cast<double>(std::max<std::size_t>(result.counts.paths(), 1));
    if (!estimate || estimate->log10_schedules < std::log10(run)) return "";
    std::string text = "The program has " + about(estimate->log10_schedules) +
                       (estimate->log10_schedules < std::log10(1.5) ? " schedule" : " schedules");
    if (bound != any) {
        text += " with at most " + std::to_string(bound) + (bound == 1 ? " preemption" : " preemptions");
    }
    return text + ", counted without pruning (Knuth's estimate from " + std::to_string(estimate->walks) +
           " random walks, standard error " +
           std::to_string(static_cast<int>(std::lround(100 * estimate->relative_error))) + " %).";
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
    summary.counts = {{"complete", counts.complete},     {"deadlocked", counts.deadlocked},
                      {"livelocked", counts.livelocked}, {"pruned", counts.redundant},
                      {"truncated", counts.truncated},   {"abandoned", counts.abandoned},
                      {"steps", counts.steps},           {"refinements", exploration.result.refinements}};
    if (!exploration.complete && exploration.result.findings.empty() && counts.paths() == 0 &&
        counts.steps > 0) {
        summary.claims.emplace_back(
            "no schedule came to its end: the program may be one that never ends by itself; --thread-steps N "
            "cuts "
            "every thread after N operations, so that other schedules get their turn.");
    }
    summary.paths_at_bound = exploration.result.paths_at_bound;
    summary.coverage = tasks_of(coverage);
}

void describe_races(const SortedRaces& races, const RaceWatch& watch, RunSummary& summary) {
    summary.undisciplined = races.undisciplined;
    summary.suppressions = describe(races.suppressions);
    summary.counts.emplace("races", races.findings.size());
    summary.counts.emplace("races_suppressed", races.suppressions.suppressed());
    summary.counts.emplace("watched", watch.watched());
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
