#include "cmd/write_traces.hpp"

#include <filesystem>
#include <iostream>

#include "cmd/minimizing.hpp"
#include "cmd/traced_program.hpp"
#include "core/error.hpp"
#include "core/retrace.hpp"
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

Trace make_trace(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                 const Finding& finding, bool proved) {
    Trace trace = retrace(execution, finding, words_of(execution));
    trace.tool = "coopcheck " COOPCHECK_VERSION;
    trace.program = describe_program(execution, launch);
    // What fairness makes free for the search counts in a trace.
    trace.minimal =
        finding.confirmed && (trace.preemptions == 0 || (proved && trace.preemptions == finding.preemptions));
    trace.output = execution.standard_output().substr(0, longest_output);
    trace.output_cut = execution.standard_output().size() > longest_output;
    return trace;
}

}  // namespace

void declare_trace_folder(CLI::App& command, TraceFolder& folder) {
    command.add_option("--out", folder.path, "The folder for the traces of what is found; made if need be")
        ->capture_default_str()
        ->envname("COOPCHECK_OUT");
}

void report_findings(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                     const SearchResult& result, const TraceFolder& folder, const ReportOptions& options) {
    std::size_t number = 0;
    const auto time_is_up = after(options.minimize_time_s);
    for (const Finding& found : result.findings) {
        number += 1;
        const Minimized minimized =
            minimize_within(execution, found, proved_below(result), options.search, time_is_up);
        const Trace trace = make_trace(execution, launch, minimized.finding, minimized.proved);
        const std::string name = number == 1 ? "trace.json" : "trace-" + std::to_string(number) + ".json";
        const std::string path = (std::filesystem::path(folder.path) / name).string();
        std::cout << report(trace);
        if (minimized.tried && !trace.minimal) {
            std::cout << "  the best schedule found; whether one with fewer preemptions shows it is open: "
                      << minimized.why_not << '\n';
        }
        if (minimized.decision) {
            std::cout << describe_decision(execution, minimized.finding, *minimized.decision);
        }
        // A full disk must not take the other findings with it, nor the exit code.
        try {
            write_trace(trace, path);
            std::cout << "  replay it with: coopcheck replay " << shell_word(path) << "\n\n";
        } catch (const Error& error) {
            std::cout << "  there is no trace of this. " << error.what() << "\n\n";
        }
    }
    for (const Finding& finding : result.predicted) {
        std::cout << report(make_trace(execution, launch, finding, false)) << '\n';
    }
}

}  // namespace coopcheck::cmd
