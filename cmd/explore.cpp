#include "cmd/explore.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "cmd/explore_options.hpp"
#include "cmd/interrupt.hpp"
#include "cmd/program_words.hpp"
#include "cmd/write_traces.hpp"
#include "explorer/coverage.hpp"

namespace coopcheck::cmd {

namespace {

/// Why the search has to stop now: the time is up, or the user has said so.
std::function<std::optional<std::string>()> interruption(std::optional<double> time_limit_s) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    return [time_limit_s, start]() -> std::optional<std::string> {
        if (InterruptGuard::was_interrupted()) return "interrupted";
        if (time_limit_s && std::chrono::duration<double>(Clock::now() - start).count() >= *time_limit_s) {
            std::ostringstream text;
            text << "the time limit of " << *time_limit_s << " s was reached";
            return text.str();
        }
        return std::nullopt;
    };
}

void print_claims(const Exploration& exploration, const ExploreOptions& options) {
    for (const std::string& claim : exploration.claims) std::cout << claim << '\n';
    if (!exploration.result.findings.empty()) return;
    std::cout << "holds if: shared data is accessed under locks (not checked)";
    if (!options.traced.model.explore_timeouts)
        std::cout << ", timed waits time out only when nothing else can run";
    const std::set<std::string> conditions(exploration.result.conditions.begin(),
                                           exploration.result.conditions.end());
    for (const std::string& condition : conditions) std::cout << ", " << condition;
    std::cout << ".\n";
}

void print_coverage(const Coverage& coverage, bool in_full) {
    const std::vector<std::string> covered = coverage.covered();
    const std::vector<std::string> uncovered = coverage.uncovered();
    std::cout << "coverage: " << covered.size() << " of " << covered.size() + uncovered.size()
              << " tasks (functions interrupted or not, and by which others)"
              << (in_full ? "" : "; --coverage lists them") << '\n';
    if (!in_full) return;
    for (const std::string& task : covered) std::cout << "  covered: " << task << '\n';
    for (const std::string& task : uncovered) std::cout << "  not covered: " << task << '\n';
}

ExitCode exit_code(const Exploration& exploration) {
    if (InterruptGuard::was_interrupted()) return ExitCode::Interrupted;
    if (!exploration.result.findings.empty()) return ExitCode::Found;
    return exploration.complete ? ExitCode::Clean : ExitCode::Incomplete;
}

/// "function" of "function file:line".
std::string function_of(const std::string& place) { return place.substr(0, place.rfind(' ')); }

ExitCode run_explore(ExploreOptions& options) {
    complete(options);
    const InterruptGuard interrupts;
    options.search.budget.interruption = interruption(options.time_limit_s);
    tracer::LaunchOptions launch;
    launch.program = options.command.front();
    launch.arguments.assign(options.command.begin() + 1, options.command.end());
    tracer::TracedExecution execution(launch, options.traced);
    options.search.judge = make_judge(options.oracle, [&] { return execution.standard_output(); });
    const auto place = [&](std::uint64_t site) { return execution.describe_site(site); };
    Coverage coverage([&](std::uint64_t site) { return function_of(place(site)); });
    const Exploration exploration = search_by(options.strategy, execution, options.search, place, &coverage);
    report_findings(execution, launch, exploration.result, options.traces,
                    {.minimize_time_s = options.minimize_time_s, .search = options.search});
    print_claims(exploration, options);
    print_coverage(coverage, options.show_coverage);
    return exit_code(exploration);
}

}  // namespace

Command declare_explore(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("explore", "Run a program through its thread schedules and look for bugs");
    auto options = std::make_shared<ExploreOptions>();
    declare_explore_options(*command, *options);
    return {command, [command, options] {
                options->command = program_words(*command);
                return run_explore(*options);
            }};
}

}  // namespace coopcheck::cmd
