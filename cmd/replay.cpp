#include "cmd/replay.hpp"

#include <CLI/App.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cmd/replay_debugger.hpp"
#include "cmd/traced_program.hpp"
#include "core/error.hpp"
#include "explorer/replay.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/step_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck::cmd {

namespace {

struct Options {
    std::string trace;
    std::size_t until = 0;
    std::size_t times = 1;
    bool gdb = false;
    std::string gdb_arguments;
    std::vector<std::string> command;
};

/// One run, and how it is told.
class Player {
  public:
    Player(const Trace& trace, const Options& options)
        : trace_(trace),
          launch_(launch_along(trace, options.command)),
          // Every time a new process: a copy could hide what differs from start to start.
          execution_(launch_, {.model = {.explore_timeouts = trace.options.explore_timeouts,
                                         .spurious_wakeups = trace.options.spurious_wakeups},
                               .checkpoints = tracer::CheckpointPolicy::None}) {
        replay_options_.words = words_of(execution_);
        replay_options_.locate = [this](const std::string& name) { return execution_.find_location(name); };
        replay_options_.output = [this] { return execution_.standard_output(); };
        replay_options_.on_restart = [] {
            std::cout << "  the program waits in a loop for memory to change; once more from the start:\n";
        };
        if (options.until > 0) replay_options_.until = options.until;
    }

    [[nodiscard]] std::string command() const {
        std::vector<std::string> words{launch_.program};
        words.insert(words.end(), launch_.arguments.begin(), launch_.arguments.end());
        return shell_words(words);
    }

    ReplayResult play(bool print_steps) {
        replay_options_.on_step = nullptr;
        if (print_steps) replay_options_.on_step = [this](const ReplayedStep& step) { print(step); };
        beyond_ = false;
        return replay(execution_, trace_, replay_options_);
    }

    void print_verdict(const ReplayResult& result) {
        std::array<const char*, 6> words = {"reproduced", "a different finding", "diverged", "a good end",
                                            "stopped",    "unfinished"};
        std::cout << words.at(static_cast<std::size_t>(result.kind));
        switch (result.kind) {
            case ReplayResult::Kind::Reproduced:
            case ReplayResult::Kind::DifferentFinding:
                std::cout << ": " << describe(labelled(trace_, *result.finding)) << '\n';
                for (const TraceWait& wait : result.finding->waits)
                    std::cout << "  " << describe_wait(labelled(trace_, wait));
                if (result.kind == ReplayResult::Kind::DifferentFinding) {
                    std::cout << "  the trace has: " << describe(labelled(trace_, trace_.finding)) << '\n';
                    print_cause();
                }
                print_output();
                break;
            case ReplayResult::Kind::Diverged:
                print_divergence(*result.divergence);
                break;
            case ReplayResult::Kind::GoodEnd:
                std::cout << ": the program followed the trace, and did not come to its finding: "
                          << describe(labelled(trace_, trace_.finding)) << '\n';
                break;
            case ReplayResult::Kind::Stopped:
                std::cout << " before step " << replay_options_.until << ", with the threads at\n";
                for (const TraceWait& parked : result.parked) print_parked(parked);
                print_output();
                break;
            case ReplayResult::Kind::Unfinished:
                std::cout << ": the program followed the trace and made " << replay_options_.beyond_limit
                          << " more without an end or a finding\n";
                break;
        }
        if (result.runtime_differences > 0) {
            std::cout << "  (" << result.runtime_differences
                      << " operations inside the C or C++ library differ from the trace)\n";
        }
    }

    /// gdb on the program where the last play() has left it.
    void debug(const ReplayResult& result, const std::vector<std::string>& arguments) {
        DebuggerWishes wishes{.program = execution_.program_path(), .arguments = arguments, .thread = {}};
        std::string thread;
        if (result.finding && !result.finding->waits.empty()) {
            thread = result.finding->waits.front().thread;
        } else if (replay_options_.until <= trace_.steps.size()) {
            thread = trace_.steps[replay_options_.until - 1].thread;
        }
        for (const ParkedThread& parked : execution_.parked()) {
            if (execution_.names().threads.name(parked.thread) == thread) wishes.thread = parked.thread;
        }
        cmd::debug(execution_, std::move(wishes));
    }

  private:
    void print(const ReplayedStep& step) {
        if (step.kind == ReplayedStep::Kind::Beyond && !beyond_) {
            beyond_ = true;
            std::cout << "  the trace ends here, and the program goes on:\n";
        }
        if (step.kind == ReplayedStep::Kind::Extra) std::cout << "  not in the trace, inside the library:\n";
        std::cout << describe_step(step.number, labelled(trace_, step.step));
    }

    void print_parked(const TraceWait& parked) {
        std::cout << "  " << printable(parked.thread + "  " + describe(labelled(trace_, parked.operation)));
        for (std::size_t i = 0; i < parked.blockers.size(); ++i) {
            std::cout << (i == 0 ? ", waiting for " : " and ") << printable(parked.blockers[i]);
        }
        if (!parked.source.empty()) std::cout << "  at " << printable(parked.source);
        std::cout << '\n';
    }

    void print_divergence(const Divergence& divergence) {
        std::cout << " at step " << divergence.step << ": expected " << printable(divergence.expected)
                  << ", but " << printable(divergence.happened);
        if (!divergence.source.empty()) std::cout << "  at " << printable(divergence.source);
        std::cout << '\n';
        print_cause();
    }

    void print_cause() {
        std::cout << "  likely cause: "
                  << printable(likely_cause(trace_.program, describe_program(execution_, launch_))) << ".\n";
    }

    void print_output() {
        if (!execution_.standard_output().empty()) {
            std::cout << "  output of the program:\n" << indent(execution_.standard_output());
        }
    }

    const Trace& trace_;
    tracer::LaunchOptions launch_;
    tracer::TracedExecution execution_;
    ReplayOptions replay_options_;
    bool beyond_ = false;
};

ExitCode exit_code(ReplayResult::Kind kind) {
    switch (kind) {
        case ReplayResult::Kind::Reproduced:
        case ReplayResult::Kind::DifferentFinding:
            return ExitCode::Found;
        case ReplayResult::Kind::Diverged:
        case ReplayResult::Kind::Unfinished:
            return ExitCode::Incomplete;
        case ReplayResult::Kind::GoodEnd:
        case ReplayResult::Kind::Stopped:
            break;
    }
    return ExitCode::Clean;
}

ExitCode run_replay(const Options& options) {
    const Trace trace = read_trace(options.trace);
    if (options.until > trace.steps.size() + 1) {
        throw Error("The trace has " + std::to_string(trace.steps.size()) +
                    " steps; --until can be at most " + std::to_string(trace.steps.size() + 1) + ".");
    }
    const auto gdb_arguments = split_shell_words(options.gdb_arguments);
    if (!gdb_arguments) throw Error("A quote in --gdb-args is not closed.");
    if (options.gdb) require_debugger();
    Player player(trace, options);
    std::cout << "the trace has: " << describe(labelled(trace, trace.finding))
              << "\nrunning: " << player.command() << '\n';
    const ReplayResult first = player.play(true);
    player.print_verdict(first);
    std::size_t same = 1;
    ReplayResult::Kind worst = first.kind;
    for (std::size_t time = 2; time <= options.times; ++time) {
        const ReplayResult again = player.play(false);
        if (again.kind == first.kind) {
            same += 1;
            continue;
        }
        std::cout << "time " << time << ": ";
        player.print_verdict(again);
        worst = ReplayResult::Kind::Diverged;  // one time so, another time so
    }
    if (options.times > 1) {
        std::cout << "the same " << same << " of " << options.times << " times\n";
    }
    if (options.gdb) player.debug(first, *gdb_arguments);
    return exit_code(worst);
}

}  // namespace

Command declare_replay(CLI::App& app) {
    CLI::App* command = app.add_subcommand("replay", "Run a program along a trace, to its finding");
    auto options = std::make_shared<Options>();
    command->add_option("trace", options->trace, "The trace of a finding, written by explore")->required();
    command->add_option("--until", options->until, "Stop before this step of the trace")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("STEP");
    command->add_option("--times", options->times, "Replay so many times")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("N");
    CLI::Option* gdb = command->add_flag("--gdb", options->gdb,
                                         "Then start gdb on the program, stopped there with all its threads");
    command->add_option("--gdb-args", options->gdb_arguments, "More arguments for gdb, as one word")
        ->type_name("ARGS")
        ->needs(gdb);
    command->add_option("program", options->command,
                        "After --: another program, with its arguments, instead of the trace's");
    return {command, [options] { return run_replay(*options); }};
}

}  // namespace coopcheck::cmd
