#include "cmd/free_strategies.hpp"

#include <chrono>
#include <iostream>
#include <limits>
#include <string>

#include "cmd/coverage_table.hpp"
#include "cmd/explore_summary.hpp"
#include "cmd/interrupt.hpp"
#include "cmd/traced_program.hpp"
#include "explorer/free_search.hpp"
#include "tracer/free_runs.hpp"
#include "tracer/native_runs.hpp"
#include "tracer/standard_input.hpp"

namespace coopcheck::cmd {

namespace {

/// Free runs have no end of their own.
constexpr std::size_t default_runs = 100;

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

FreeSearchOptions search_options(const ExploreOptions& options, const Oracle& oracle) {
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    const BudgetLimits& budget = options.search.budget;
    FreeSearchOptions search;
    search.runs = budget.schedules;
    if (budget.schedules == unlimited && !options.time_limit_s) search.runs = default_runs;
    search.max_failures = options.search.max_findings;
    search.interruption = budget.interruption;
    search.time_limit = milliseconds(options.strategy.run_time_s);
    search.judge = [oracle](const FreeOutcome& outcome) {
        return oracle(*outcome.end, [&] { return outcome.standard_output; });
    };
    return search;
}

/// The whole search may have to stop in the middle of a run.
std::function<bool()> stop_runs(const ExploreOptions& options) {
    return [interruption = options.search.budget.interruption] { return interruption().has_value(); };
}

ExitCode exit_code(const FreeSearchResult& result) {
    if (InterruptGuard::was_interrupted()) return ExitCode::Interrupted;
    return result.failures.empty() && result.findings.empty() ? ExitCode::Incomplete : ExitCode::Found;
}

/// What can be said, printed and for reports.
void finish(const FreeSearchResult& result, const ExploreOptions& options, RunSummary& summary) {
    summary.claims.push_back(result.claim());
    if (result.with_noise) summary.claims.push_back("seed " + std::to_string(options.strategy.noise.seed));
    if (result.refused_priorities > 0) {
        summary.claims.push_back("the kernel refused to change a priority " +
                                 std::to_string(result.refused_priorities) + " times");
    }
    summary.exit_code = static_cast<int>(exit_code(result));
    if (options.style.quiet || options.brief) return;
    for (const std::string& claim : summary.claims) std::cout << claim << '\n';
}

void run_natively(const ExploreOptions& options, const tracer::LaunchOptions& launch, RunSummary& summary) {
    tracer::NativeRuns runs(launch, {.time_limit = milliseconds(options.strategy.run_time_s),
                                     .interruption = stop_runs(options)});
    const FreeSearchResult result =
        count_native_runs([&] { return runs.run(); }, search_options(options, make_oracle(options.oracle)));
    finish(result, options, summary);
}

/// For what was seen in a free run: few preemptions, and not for long.
SearchOptions options_to_search_again(SearchOptions search) {
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds longest{10};
    constexpr unsigned bound = 2;
    search.granularity = Granularity::Operations;
    search.bound = bound;
    BudgetLimits budget;
    budget.interruption = [before = search.budget.interruption,
                           start = std::optional<Clock::time_point>()]() mutable {
        if (!start) start = Clock::now();
        std::optional<std::string> reason = before();
        if (!reason && Clock::now() - *start >= longest) reason = "enough time was spent";
        return reason;
    };
    search.budget = budget;
    return search;
}

void run_with_noise(const ExploreOptions& options, const tracer::LaunchOptions& launch, RunSummary& summary) {
    // Before the traced execution, which keeps to one processor.
    tracer::FreeRuns free(launch, {.time_limit = milliseconds(options.strategy.run_time_s),
                                   .interruption = stop_runs(options)});
    tracer::TracedExecution execution(launch, options.traced);
    const Oracle oracle = make_oracle(options.oracle);
    SearchOptions controlled = options.search;
    controlled.judge = make_judge(oracle, [&] { return execution.standard_output(); });
    Coverage coverage([&](std::uint64_t site) { return free.function_of(site); });
    const FreeSearchResult result =
        search_with_noise([&](const DecideNoise& decide) { return free.run(decide); }, options.strategy.noise,
                          coverage, search_options(options, oracle),
                          {.execution = execution,
                           .names = free.names(),
                           .judge = controlled.judge,
                           .search = options_to_search_again(controlled)});
    SearchResult found;
    found.findings = result.findings;
    summary.findings = report_findings(execution, launch, found, options.traces,
                                       {.minimize_time_s = options.minimize_time_s,
                                        .search = controlled,
                                        .style = text_style(options.style),
                                        .say = {}});
    finish(result, options, summary);
    summary.coverage = tasks_of(coverage);
    if (!options.style.quiet && !options.brief)
        print_coverage(coverage, options.show_coverage || options.style.verbose);
}

}  // namespace

bool runs_freely(StrategyName name) { return name == StrategyName::Noise || name == StrategyName::None; }

RunSummary explore_freely(const ExploreOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    tracer::LaunchOptions launch = launch_options(options.command);
    launch.input = tracer::input_of_free_runs(launch);
    RunSummary summary;
    describe_run(options, summary);
    if (options.strategy.name == StrategyName::None) {
        run_natively(options, launch, summary);
    } else {
        run_with_noise(options, launch, summary);
    }
    summary.interrupted = InterruptGuard::was_interrupted();
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return summary;
}

}  // namespace coopcheck::cmd
