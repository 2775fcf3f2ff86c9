#include "cmd/write_traces.hpp"

#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>

#include "cmd/minimizing.hpp"
#include "cmd/source_text.hpp"
#include "cmd/traced_program.hpp"
#include "core/error.hpp"
#include "core/race.hpp"
#include "core/retrace.hpp"
#include "explorer/side_by_side.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck::cmd {

namespace {

/// With how many preemptions every schedule was run, and had not this bug. That no thread was cut short is
/// part of it.
unsigned proved_below(const SearchResult& result) {
    return result.proved_bound && result.counts.truncated == 0 ? *result.proved_bound + 1 : 0;
}

/// The race with a schedule that puts its accesses next to each other, if there is one.
Finding side_by_side(tracer::TracedExecution& execution, const Finding& race, const SearchOptions& search,
                     const std::function<bool()>& should_stop) {
    return put_side_by_side(execution, race, {.search = search, .should_stop = should_stop}).value_or(race);
}

}  // namespace

Trace make_trace(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                 const Minimized& minimized) {
    const Finding& finding = minimized.finding;
    std::optional<PassingSchedule> passing;
    if (minimized.decision)
        passing.emplace(PassingSchedule{minimized.decision->step, minimized.decision->passing});
    // What was watched is known in full only where it is watched again.
    const bool is_watched = finding.race && !finding.race->side_by_side;
    execution.set_watching(is_watched ? Watching::Every : Watching::Off);
    Trace trace = retrace(execution, finding, words_of(execution), passing);
    execution.set_watching(Watching::Off);
    trace.tool = "coopcheck " COOPCHECK_VERSION;
    trace.program = describe_program(execution, launch);
    // What fairness makes free for the search counts in a trace.
    trace.minimal = finding.confirmed && (trace.preemptions == 0 ||
                                          (minimized.proved && trace.preemptions == finding.preemptions));
    if (minimized.tried && !trace.minimal) {
        trace.minimal_open =
            minimized.why_not.empty()
                ? "leaving a thread that spins is a preemption in a trace and free in the search"
                : minimized.why_not;
    }
    trace.output = execution.standard_output().substr(0, longest_output);
    trace.output_cut = execution.standard_output().size() > longest_output;
    add_source_text(trace);
    return trace;
}

void declare_trace_folder(CLI::App& command, TraceFolder& folder) {
    command.add_option("--out", folder.path, "The folder for the traces of what is found; made if need be")
        ->capture_default_str()
        ->envname("COOPCHECK_OUT");
}

std::vector<ReportedFinding> report_findings(tracer::TracedExecution& execution,
                                             const tracer::LaunchOptions& launch, const SearchResult& result,
                                             const TraceFolder& folder, const ReportOptions& options) {
    std::vector<ReportedFinding> all;
    const auto time_is_up = after(options.minimize_time_s);
    const auto say = [&](const std::string& words) {
        if (options.say) options.say(words);
    };
    for (const Finding& found : result.findings) {
        say("making the schedule of finding " + std::to_string(all.size() + 1) + " of " +
            std::to_string(result.findings.size()) + " simpler");
        // Of races the search has seen those of the schedules that were watched, and no others.
        const bool is_race = found.kind == FindingKind::Race;
        const Minimized minimized = minimize_within(
            execution, is_race ? side_by_side(execution, found, options.search, time_is_up) : found,
            is_race ? 0 : proved_below(result), options.search, time_is_up);
        ReportedFinding reported{.trace = make_trace(execution, launch, minimized)};
        const std::string name =
            all.empty() ? "trace.json" : "trace-" + std::to_string(all.size() + 1) + ".json";
        const std::string path = (std::filesystem::path(folder.path) / name).string();
        say("");
        std::cout << report(reported.trace, options.style);
        // A full disk must not take the other findings with it, nor the exit code.
        try {
            write_trace(reported.trace, path);
            reported.file = path;
            reported.replay_command = "coopcheck replay " + shell_word(path);
            std::cout << "  replay it with: " << reported.replay_command << "\n\n";
        } catch (const Error& error) {
            std::cout << "  there is no trace of this. " << error.what() << "\n\n";
        }
        all.push_back(std::move(reported));
    }
    for (const Finding& finding : result.predicted) {
        say("");
        ReportedFinding reported{.trace = make_trace(execution, launch, {.finding = finding})};
        std::cout << report(reported.trace, options.style) << '\n';
        all.push_back(std::move(reported));
    }
    return all;
}

}  // namespace coopcheck::cmd
