#include "cmd/explore.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "cmd/explore_options.hpp"
#include "cmd/interrupt.hpp"
#include "cmd/program_words.hpp"
#include "cmd/write_traces.hpp"
#include "explorer/explore.hpp"

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

void print_claim(const SearchResult& result, const ExploreOptions& options) {
    std::cout << result.claim() << '\n';
    if (!result.findings.empty()) return;
    std::cout << "holds if: shared data is accessed under locks (not checked)";
    if (!options.traced.model.explore_timeouts)
        std::cout << ", timed waits time out only when nothing else can run";
    for (const std::string& condition : result.conditions) std::cout << ", " << condition;
    std::cout << ".\n";
}

ExitCode exit_code(const SearchResult& result) {
    if (InterruptGuard::was_interrupted()) return ExitCode::Interrupted;
    if (!result.findings.empty()) return ExitCode::Found;
    return result.exhausted && result.gaps.empty() ? ExitCode::Clean : ExitCode::Incomplete;
}

ExitCode run_explore(ExploreOptions& options) {
    complete(options);
    const InterruptGuard interrupts;
    options.search.budget.interruption = interruption(options.time_limit_s);
    tracer::LaunchOptions launch;
    launch.program = options.command.front();
    launch.arguments.assign(options.command.begin() + 1, options.command.end());
    tracer::TracedExecution execution(launch, options.traced);
    options.search.judge = make_judge(options.oracle, [&] { return execution.standard_output(); });
    const SearchResult result = explore(execution, options.search);
    report_findings(execution, launch, result, options.traces);
    print_claim(result, options);
    return exit_code(result);
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
