#include "cmd/explore_options.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "cmd/program_words.hpp"
#include "core/error.hpp"

namespace coopcheck::cmd {

namespace {

void declare_search(CLI::App& command, ExploreOptions& options) {
    command
        .add_option(
            "--bound", options.bound,
            "All schedules with at most so many preemptions, fewest first; without it the bound rises until "
            "there are no more schedules")
        ->envname("COOPCHECK_BOUND");
    command.add_flag(
        "--unbounded", options.unbounded,
        "Do not count preemptions: fewer schedules prove that there is no bug, but a finding may have "
        "more preemptions than needed");
    command.add_option("--time", options.time_limit_s, "Stop after so many seconds")
        ->check(CLI::PositiveNumber)
        ->envname("COOPCHECK_TIME");
    command.add_option("--schedules", options.search.budget.schedules, "Stop after so many schedules")
        ->envname("COOPCHECK_SCHEDULES");
    command
        .add_option("--steps", options.search.budget.steps,
                    "Stop after so many operations, in all schedules together")
        ->envname("COOPCHECK_STEPS");
    command
        .add_option("--thread-steps", options.search.thread_step_limit,
                    "Do not run a thread further than so many operations")
        ->envname("COOPCHECK_THREAD_STEPS");
    command.add_flag("--keep-going", options.keep_going,
                     "Collect all distinct findings instead of the first");
    command.add_option("--max-findings", options.search.max_findings, "Stop after so many distinct findings")
        ->check(CLI::PositiveNumber)
        ->envname("COOPCHECK_MAX_FINDINGS");
}

void declare_model(CLI::App& command, ExploreOptions& options) {
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
    command
        .add_option("--spin-limit", options.spin_limit_ms,
                    "A thread that runs so many milliseconds without an operation is looked at")
        ->check(CLI::PositiveNumber)
        ->envname("COOPCHECK_SPIN_LIMIT");
    command
        .add_option("--spins", options.search.spin_limit,
                    "Cut a schedule in which a thread yields, sleeps or tries in vain so often at one place")
        ->envname("COOPCHECK_SPINS");
    const std::map<std::string, tracer::CheckpointPolicy> policies = {
        {"auto", tracer::CheckpointPolicy::Auto},
        {"every", tracer::CheckpointPolicy::Every},
        {"root", tracer::CheckpointPolicy::Root},
        {"none", tracer::CheckpointPolicy::None},
    };
    command.add_option("--checkpoints", options.traced.checkpoints, "Where copies of the program are kept")
        ->transform(CLI::Transformer(policies).description("auto|every|root|none"))
        ->envname("COOPCHECK_CHECKPOINTS");
}

void declare_oracle(CLI::App& command, ExploreOptions& options) {
    command
        .add_option("--expect-exit", options.oracle.expected_exit, "The exit code of a good run (default 0)")
        ->envname("COOPCHECK_EXPECT_EXIT");
    command
        .add_option("--expect-stdout", options.oracle.expected_stdout,
                    "A file with what a good run writes to standard output")
        ->envname("COOPCHECK_EXPECT_STDOUT");
    command
        .add_option(
            "--oracle", options.oracle.command,
            "A shell command that reads a run's standard output, finds its exit code in COOPCHECK_EXIT, and "
            "exits with 0 if the run was good")
        ->envname("COOPCHECK_ORACLE");
}

}  // namespace

void declare_explore_options(CLI::App& command, ExploreOptions& options) {
    declare_search(command, options);
    declare_model(command, options);
    declare_oracle(command, options);
    declare_trace_folder(command, options.traces);
    declare_program(command);
}

void complete(ExploreOptions& options) {
    if (options.unbounded && options.bound) throw Error("Give --bound or --unbounded, not both.");
    if (!options.unbounded) {
        options.search.bound = options.bound.value_or(std::numeric_limits<unsigned>::max());
        options.search.granularity = Granularity::Operations;
    }
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    if (!options.keep_going && options.search.max_findings == unlimited) options.search.max_findings = 1;
    options.search.output_matters = options.oracle.look_at_output();
    options.traced.silence_limit = std::chrono::milliseconds(options.spin_limit_ms);
    // What libstdc++ waits with (atomic::wait, and on top of it semaphores, latches and barriers) yields four
    // times before it goes to sleep. With less patience nobody would ever be asleep before the others had
    // a turn, and a notification that wakes too few would always be enough.
    constexpr unsigned yields_of_libstdcxx = 4;
    options.search.spin_patience = std::max(options.search.spin_patience, yields_of_libstdcxx);
}

}  // namespace coopcheck::cmd
