#include "cmd/explore.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "cmd/coverage_table.hpp"
#include "cmd/explore_options.hpp"
#include "cmd/free_strategies.hpp"
#include "cmd/interrupt.hpp"
#include "cmd/program_words.hpp"
#include "cmd/resume_file.hpp"
#include "cmd/traced_program.hpp"
#include "cmd/write_traces.hpp"
#include "explorer/coverage.hpp"
#include "reporting/shell_words.hpp"

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

ExitCode exit_code(const Exploration& exploration) {
    if (InterruptGuard::was_interrupted()) return ExitCode::Interrupted;
    if (!exploration.result.findings.empty()) return ExitCode::Found;
    return exploration.complete ? ExitCode::Clean : ExitCode::Incomplete;
}

/// "function" of "function file:line".
std::string function_of(const std::string& place) { return place.substr(0, place.rfind(' ')); }

/// What is left of the search waits in its file.
void settle(const ResumeFile& resume, const Exploration& exploration) {
    if (exploration.result.exhausted) {
        resume.remove();
    } else {
        std::cout << "the rest of the search waits in " << shell_word(resume.path())
                  << ": the same command goes on with it\n";
    }
}

ExitCode run_explore(ExploreOptions& options) {
    complete(options);
    const InterruptGuard interrupts;
    options.search.budget.interruption = interruption(options.time_limit_s);
    if (runs_freely(options.strategy.name)) return explore_freely(options);
    tracer::LaunchOptions launch = launch_options(options.command);
    if (!options.resume_file.empty()) launch.input = input_to_resume(options.resume_file);
    tracer::TracedExecution execution(launch, options.traced);
    options.search.judge =
        make_judge(make_oracle(options.oracle), [&] { return execution.standard_output(); });
    const auto place = [&](std::uint64_t site) { return execution.describe_site(site); };
    Coverage coverage([&](std::uint64_t site) { return function_of(place(site)); });
    ResumeFile resume(options, launch, execution);
    Continuation continuation;
    if (!options.resume_file.empty()) continuation = {.from = resume.load(), .keeper = &resume};
    const Exploration exploration =
        search_by(options.strategy, execution, options.search, place, &coverage, continuation);
    report_findings(execution, launch, exploration.result, options.traces,
                    {.minimize_time_s = options.minimize_time_s, .search = options.search});
    print_claims(exploration, options);
    print_coverage(coverage, options.show_coverage);
    if (!options.resume_file.empty()) settle(resume, exploration);
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
