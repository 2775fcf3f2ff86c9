#include "cmd/explore_options.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <limits>
#include <map>

#include "cmd/job_board.hpp"
#include "cmd/jobs.hpp"
#include "cmd/program_words.hpp"
#include "core/error.hpp"
#include "core/log.hpp"

namespace coopcheck::cmd {

namespace {

void declare_search(CLI::App& command, ExploreOptions& options) {
    command
        .add_option(
            "--bound", options.bound,
            "All schedules with at most so many preemptions, fewest first; without it the bound rises until "
            "there are no more schedules. If they are many, others are looked at, too")
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
    command
        .add_option("--minimize-time", options.minimize_time_s,
                    "Seconds for making what was found simpler (default 10; 0: report it as it was found)")
        ->check(CLI::NonNegativeNumber)
        ->envname("COOPCHECK_MINIMIZE_TIME");
    command
        .add_option(
            "--jobs", options.jobs,
            "So many processes share the search, each on its own CPU: the same findings and the same claim "
            "in less time, no schedule twice; within a bound one does what it can by classes, and the rest "
            "is "
            "shared (default 1)")
        ->check(CLI::Range(std::size_t{1}, most_jobs))
        ->envname("COOPCHECK_JOBS");
    command
        .add_option("--resume", options.resume_file,
                    "The file in which an unfinished search waits: the same command goes on with it. It is "
                    "removed when nothing is left to do")
        ->envname("COOPCHECK_RESUME");
    command.add_flag("--coverage", options.show_coverage,
                     "List which functions were interrupted, and by which others, and which were not");
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

/// Within bounds every operation is a place to switch at, and between two of them a lock is held or not: data
/// would prune nothing that locks do not.
void settle_footprints(ExploreOptions& options) {
    if (options.races.footprints == FootprintSource::Locks) return;
    if (!options.bound) {
        options.unbounded = options.unbounded || options.strategy.name == StrategyName::ExitBlock ||
                            options.strategy.name == StrategyName::Default;
        return;
    }
    log::warning(
        "Within a bound data prunes no more than locks do: --footprint counts in searches without one.");
    options.races.footprints = FootprintSource::Locks;
}

}  // namespace

void declare_explore_options(CLI::App& command, ExploreOptions& options) {
    declare_strategy(command, options.strategy);
    declare_search(command, options);
    declare_model(command, options);
    declare_races(command, options.races);
    declare_oracle(command, options.oracle);
    declare_trace_folder(command, options.traces);
    declare_report_files(command, options.files);
    declare_style(command, options.style);
    command.add_flag("--estimate", options.estimate,
                     "Estimate the number of schedules first (Knuth's method); on a terminal always");
    command.add_flag(
        "--each-test", options.each_test,
        "The program is made with doctest or GoogleTest: explore each of its test cases by itself");
    declare_program(command);
}

namespace {

/// Which search runs the fewest schedules for the same guarantee (docs/architecture.md): that for classes,
/// where it can do what else was asked for.
StrategyName default_strategy(const ExploreOptions& options) {
    if (options.races.footprints != FootprintSource::Locks) return StrategyName::ExitBlock;
    return options.unbounded ? StrategyName::Optimal : StrategyName::Classes;
}

}  // namespace

void complete(ExploreOptions& options) {
    if (options.unbounded && options.bound) throw Error("Give --bound or --unbounded, not both.");
    if (options.each_test && !options.resume_file.empty())
        throw Error("A collection of tests cannot be gone on with; give --each-test or --resume, not both.");
    settle_footprints(options);
    if (options.strategy.name == StrategyName::Default) options.strategy.name = default_strategy(options);
    // With wakeup trees what is found in one branch decides how the next one is run: it cannot be shared.
    if (options.jobs > 1 && options.strategy.name == StrategyName::Optimal) {
        options.strategy.name = StrategyName::Source;
    }
    if (!options.unbounded) {
        options.search.bound = options.bound.value_or(std::numeric_limits<unsigned>::max());
        options.search.granularity = Granularity::Operations;
    }
    const bool is_of_classes = options.strategy.name == StrategyName::Classes ||
                               options.strategy.name == StrategyName::Source ||
                               options.strategy.name == StrategyName::Optimal;
    if (!options.resume_file.empty() && options.strategy.name != StrategyName::ExitBlock && !is_of_classes) {
        throw Error(
            "Only a search by the strategy classes, exitblock, source or optimal can be resumed; others go "
            "on with "
            "another --seed, or with --history.");
    }
    if (options.races.show_storage && options.races.races == RaceSampling::Off)
        throw Error(
            "--show-storage tells what watched schedules have shown; give --races sample or every, too.");
    options.traced.watch_unshared = options.races.show_storage;
    options.strategy.time_limit_s = options.time_limit_s;
    options.strategy.noise.seed = options.strategy.seed;
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    options.races.limited = options.search.max_findings != unlimited;
    if (!options.keep_going && options.search.max_findings == unlimited) options.search.max_findings = 1;
    options.search.footprints = options.races.footprints;
    options.search.output_matters = options.oracle.look_at_output();
    check_jobs(options);
    options.traced.racy_points = tracer::RacyPoints::Breakpoints;
    options.traced.silence_limit = std::chrono::milliseconds(options.spin_limit_ms);
    options.search.spin_patience = std::max(options.search.spin_patience, spin_patience_for_programs);
}

}  // namespace coopcheck::cmd
