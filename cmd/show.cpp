#include "cmd/show.hpp"

#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cmd/report_style.hpp"
#include "core/run_summary.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/dot.hpp"
#include "reporting/html_report.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"
#include "reporting/whole_file.hpp"

namespace coopcheck::cmd {

namespace {

struct Options {
    std::string trace;
    bool text = false;
    std::string html;
    std::string dot;
    StyleOptions style;
};

void print_text(const Trace& trace, const StyleOptions& style) {
    std::vector<std::string> command{trace.program.path};
    command.insert(command.end(), trace.program.arguments.begin(), trace.program.arguments.end());
    std::cout << report(trace, text_style(style));
    if (style.quiet) return;
    std::cout << "program: " << shell_words(command);
    if (!trace.program.build_id.empty())
        std::cout << " (build id " << printable(trace.program.build_id) << ')';
    std::cout << '\n';
    if (trace.program.input) std::cout << "input: " << trace.program.input->bytes << " bytes\n";
    std::cout << "made by: " << printable(trace.tool) << '\n';
}

/// The page of one trace: of the search nothing is known but that it found this.
RunSummary summary_of(const Trace& trace, const std::string& path) {
    RunSummary summary{.tool = trace.tool,
                       .name = std::filesystem::path(trace.program.path).filename().string(),
                       .program = trace.program,
                       .strategy = "not known"};
    summary.findings.push_back(
        {.trace = trace, .file = path, .replay_command = "coopcheck replay " + shell_word(path)});
    summary.exit_code = static_cast<int>(ExitCode::Found);
    return summary;
}

/// "-" is standard output.
void write_to(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::cout << text;
    } else {
        write_whole_file(text, path, {.what = "the report", .remedy = "name another file"});
    }
}

ExitCode run_show(const Options& options) {
    const Trace trace = read_trace(options.trace);
    if (!options.html.empty()) write_to(options.html, html_report({summary_of(trace, options.trace)}));
    if (!options.dot.empty()) write_to(options.dot, wait_graph(trace));
    if (options.text || (options.html.empty() && options.dot.empty())) print_text(trace, options.style);
    return ExitCode::Clean;
}

}  // namespace

Command declare_show(CLI::App& app) {
    CLI::App* command = app.add_subcommand("show", "Print what a trace tells, without running anything");
    auto options = std::make_shared<Options>();
    command->add_option("trace", options->trace, "The trace of a finding, written by explore")->required();
    command->add_flag("--text", options->text,
                      "Print it as text (what is done if nothing else is asked for)");
    command->add_option("--html", options->html, "Write it as a page to this file; -: standard output")
        ->type_name("FILE");
    command->add_option("--dot", options->dot, "Write who waits for whom as a graph for Graphviz")
        ->type_name("FILE");
    declare_style(*command, options->style);
    return {command, [options] { return run_show(*options); }};
}

}  // namespace coopcheck::cmd
