#include "cmd/explore.hpp"

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "reporting/text_report.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

namespace {

struct ExploreOptions {
    std::vector<std::string> command;
    tracer::TracedOptions traced;
    SearchOptions search;
    unsigned bound = 0;
    bool keep_going = false;
    CLI::Option* bound_given = nullptr;
};

void declare_options(CLI::App& command, ExploreOptions& options) {
    command.add_option("command", options.command, "The program and its arguments")->required()->take_all();
    options.bound_given = command
                              .add_option("--bound", options.bound,
                                          "All schedules with at most so many preemptions, fewest first")
                              ->envname("COOPCHECK_BOUND");
    command.add_option("--schedules", options.search.max_schedules, "Stop after so many schedules")
        ->envname("COOPCHECK_SCHEDULES");
    command
        .add_option("--steps", options.search.thread_step_limit,
                    "Do not run a thread further than so many operations")
        ->envname("COOPCHECK_STEPS");
    command.add_flag("--keep-going", options.keep_going,
                     "Collect all distinct findings instead of the first");
    const std::map<std::string, bool> timeouts = {{"lazy", false}, {"explore", true}};
    command
        .add_option("--timeouts", options.traced.model.explore_timeouts,
                    "Timed waits time out only when nothing else can run (lazy), or whenever they can")
        ->transform(CLI::Transformer(timeouts).description("lazy|explore"))
        ->envname("COOPCHECK_TIMEOUTS");
    command
        .add_option("--spurious", options.traced.model.spurious_wakeups,
                    "Explore so many spurious wake-ups in each schedule")
        ->envname("COOPCHECK_SPURIOUS");
    const std::map<std::string, tracer::CheckpointPolicy> policies = {
        {"auto", tracer::CheckpointPolicy::Auto},
        {"every", tracer::CheckpointPolicy::Every},
        {"root", tracer::CheckpointPolicy::Root},
        {"none", tracer::CheckpointPolicy::None},
    };
    command.add_option("--checkpoints", options.traced.checkpoints, "Where copies of the program are kept")
        ->transform(CLI::Transformer(policies).description("auto|every|root|none"))
        ->envname("COOPCHECK_CHECKPOINTS");
    command.prefix_command();
}

ExitCode run_explore(ExploreOptions& options) {
    if (options.bound_given->count() > 0) {
        options.search.bound = options.bound;
        options.search.granularity = Granularity::Operations;
    }
    options.search.stop_at_first_finding = !options.keep_going;
    tracer::LaunchOptions launch;
    launch.program = options.command.front();
    launch.arguments.assign(options.command.begin() + 1, options.command.end());
    tracer::TracedExecution execution(launch, options.traced);
    const SearchResult result = explore(execution, options.search);
    const auto source = [&](std::uint64_t site) { return execution.describe_site(site); };
    for (const Finding& finding : result.findings) {
        std::cout << report_finding(finding, retrace(execution, finding.schedule), execution.names(), source);
        if (!execution.standard_output().empty()) {
            std::cout << "  output of the program in this schedule:\n" << indent(execution.standard_output());
        }
        std::cout << '\n';
    }
    for (const Finding& finding : result.predicted) {
        std::cout << report_finding(finding, retrace(execution, finding.schedule), execution.names(), source)
                  << '\n';
    }
    std::cout << result.claim() << '\n';
    if (result.findings.empty()) {
        std::cout << "holds if: shared data is accessed under locks (not checked)";
        std::cout << (options.traced.model.explore_timeouts
                          ? ""
                          : ", timed waits time out only when nothing else can run")
                  << ".\n";
    }
    if (!result.findings.empty()) {
        return ExitCode::Found;
    }
    return result.exhausted && result.gaps.empty() ? ExitCode::Clean : ExitCode::Incomplete;
}

}  // namespace

Command declare_explore(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("explore", "Run a program through its thread schedules and look for bugs");
    auto options = std::make_shared<ExploreOptions>();
    declare_options(*command, *options);
    return {command, [options] { return run_explore(*options); }};
}

}  // namespace coopcheck::cmd
