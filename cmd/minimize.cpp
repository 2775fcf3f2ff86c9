#include "cmd/minimize.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cmd/explore_options.hpp"
#include "cmd/interrupt.hpp"
#include "cmd/minimizing.hpp"
#include "cmd/oracles.hpp"
#include "cmd/report_style.hpp"
#include "cmd/traced_program.hpp"
#include "cmd/write_traces.hpp"
#include "core/error.hpp"
#include "core/switch.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/race_state.hpp"
#include "explorer/replay.hpp"
#include "explorer/run_findings.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck::cmd {

namespace {

struct Options {
    std::string trace;
    std::string out;
    double time_s = std::numeric_limits<double>::infinity();
    OracleOptions oracle;
    StyleOptions style;
    std::vector<std::string> command;
};

/// Where the result goes: trace.json becomes trace.min.json.
std::string default_out(const std::string& trace) {
    std::filesystem::path path(trace);
    path.replace_extension(".min.json");
    return path.string();
}

/// The race of the trace, at whose end the program stands.
std::optional<Finding> race_at_end(const tracer::TracedExecution& execution, const Trace& trace) {
    std::optional<ThreadId> first;
    std::optional<ThreadId> second;
    for (const ParkedThread& parked : execution.parked()) {
        const std::string& name = execution.names().threads.name(parked.thread);
        if (name == trace.finding.race->first.thread) first = parked.thread;
        if (name == trace.finding.race->second.thread) second = parked.thread;
    }
    if (trace.finding.race->apart || !first || !second) return std::nullopt;
    return race_of(execution, *first, *second);
}

/// Runs the schedule and says what it shows, in the words of a search.
Finding finding_of(tracer::TracedExecution& execution, const Schedule& schedule, const Judge& judge) {
    execution.restart();
    std::vector<StepRecord> steps;
    Turns turns;
    for (const Choice choice : schedule) {
        const bool preempting = turns.switch_to(execution, choice.thread) == SwitchKind::Preemption;
        const StepResult made = execution.step(choice.thread, choice.variant);
        turns.made_step(choice.thread, made.operation.kind);
        steps.push_back({choice.thread, made.operation, choice.variant, preempting});
        if (made.end) {
            if (std::optional<Finding> finding = finding_of_end(*made.end, steps, execution, judge))
                return *finding;
            throw Error(
                "The run of the trace is good by what is expected here; say what a good run is like, as for "
                "explore (--expect-exit, --expect-stdout, --oracle).");
        }
    }
    for (const ParkedThread& parked : execution.parked()) {
        if (auto cycle = find_wait_cycle(execution, parked.thread))
            return finding_of_cycle(std::move(*cycle), steps);
    }
    return finding_of_stuck(execution, steps);
}

ExitCode run_minimize(const Options& options) {
    const InterruptGuard interrupts;
    const Trace trace = read_trace(options.trace);
    const tracer::LaunchOptions launch = launch_along(trace, options.command);
    tracer::TracedExecution execution(launch,
                                      {.model = {.explore_timeouts = trace.options.explore_timeouts,
                                                 .spurious_wakeups = trace.options.spurious_wakeups}});
    ReplayOptions replay_options;
    replay_options.words = words_of(execution);
    replay_options.locate = [&](const std::string& name) { return execution.find_location(name); };
    replay_options.output = [&] { return execution.standard_output(); };
    const ReplayResult replayed = replay(execution, trace, replay_options);
    if (replayed.kind != ReplayResult::Kind::Reproduced) {
        std::cout << "The trace does not lead to its finding any more; coopcheck replay "
                  << shell_word(options.trace) << " says where it ends.\n";
        return ExitCode::Incomplete;
    }
    SearchOptions search;
    search.judge = make_judge(make_oracle(options.oracle), [&] { return execution.standard_output(); });
    search.spin_patience = spin_patience_for_programs;
    const Schedule schedule = execution.here()->schedule();
    Finding failing;
    if (trace.finding.race) {
        std::optional<Finding> race = race_at_end(execution, trace);
        if (!race)
            throw Error("This race cannot be minimized: no schedule puts its accesses next to each other.");
        failing = std::move(*race);
        failing.schedule = schedule;
        failing.preemptions = trace.preemptions;
    } else {
        failing = finding_of(execution, schedule, search.judge);
    }
    for (const std::string& name : trace.options.visible) {
        if (const auto location = execution.find_location(name)) failing.visible.push_back(*location);
    }
    const Minimized minimized = minimize_within(execution, failing, 0, search, after(options.time_s));
    if (!minimized.tried && !minimized.proved) {
        throw Error("Findings of this kind cannot be minimized.");
    }

    Trace result = make_trace(execution, launch, minimized);
    result.tool = trace.tool;
    std::cout << report(result, text_style(options.style));
    std::cout << "  " << trace.steps.size() << " steps with " << trace.preemptions
              << (trace.preemptions == 1 ? " preemption became " : " preemptions became ")
              << result.steps.size() << " steps with " << result.preemptions << "; "
              << (result.minimal ? "the number of preemptions is proved minimal"
                                 : "the best found: " + minimized.why_not)
              << '\n';
    const std::string out = options.out.empty() ? default_out(options.trace) : options.out;
    write_trace(result, out);
    std::cout << "  replay it with: coopcheck replay " << shell_word(out) << '\n';
    return InterruptGuard::was_interrupted() ? ExitCode::Interrupted : ExitCode::Found;
}

}  // namespace

Command declare_minimize(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("minimize", "Find the simplest schedule with the finding of a trace");
    auto options = std::make_shared<Options>();
    command->add_option("trace", options->trace, "The trace of a finding, written by explore")->required();
    command->add_option("-o,--out", options->out,
                        "Where to write the result (default: TRACE with .min.json)");
    command->add_option("--time", options->time_s, "Stop after so many seconds with the best found")
        ->check(CLI::PositiveNumber);
    declare_oracle(*command, options->oracle);
    declare_style(*command, options->style);
    command->add_option("program", options->command,
                        "After --: another program, with its arguments, instead of the trace's");
    return {command, [options] { return run_minimize(*options); }};
}

}  // namespace coopcheck::cmd
