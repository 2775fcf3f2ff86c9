#include "cmd/write_traces.hpp"

#include <filesystem>
#include <iostream>

#include "cmd/traced_program.hpp"
#include "core/error.hpp"
#include "core/retrace.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck::cmd {

namespace {

/// Every schedule with fewer preemptions was run, and had not this bug. That no thread was cut short is part
/// of it.
bool is_proved_minimal(const Finding& finding, unsigned preemptions, const SearchResult& result) {
    if (preemptions == 0) return true;
    return preemptions == finding.preemptions && result.counts.truncated == 0 && result.finished_bound &&
           *result.finished_bound + 1 >= preemptions;
}

Trace make_trace(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                 const Finding& finding, const SearchResult& result) {
    Trace trace = retrace(execution, finding, words_of(execution));
    trace.tool = "coopcheck " COOPCHECK_VERSION;
    trace.program = describe_program(execution, launch);
    trace.minimal = finding.confirmed && is_proved_minimal(finding, trace.preemptions, result);
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
                     const SearchResult& result, const TraceFolder& folder) {
    std::size_t number = 0;
    for (const Finding& finding : result.findings) {
        number += 1;
        const Trace trace = make_trace(execution, launch, finding, result);
        const std::string name = number == 1 ? "trace.json" : "trace-" + std::to_string(number) + ".json";
        const std::string path = (std::filesystem::path(folder.path) / name).string();
        std::cout << report(trace);
        // A full disk must not take the other findings with it, nor the exit code.
        try {
            write_trace(trace, path);
            std::cout << "  replay it with: coopcheck replay " << shell_word(path) << "\n\n";
        } catch (const Error& error) {
            std::cout << "  there is no trace of this. " << error.what() << "\n\n";
        }
    }
    for (const Finding& finding : result.predicted) {
        std::cout << report(make_trace(execution, launch, finding, result)) << '\n';
    }
}

}  // namespace coopcheck::cmd
