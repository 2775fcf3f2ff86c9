#include "cmd/show.hpp"

#include <iostream>
#include <memory>
#include <string>

#include "reporting/bytes_as_text.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck::cmd {

namespace {

ExitCode run_show(const std::string& path) {
    const Trace trace = read_trace(path);
    std::vector<std::string> command{trace.program.path};
    command.insert(command.end(), trace.program.arguments.begin(), trace.program.arguments.end());
    std::cout << report(trace) << "program: " << shell_words(command);
    if (!trace.program.build_id.empty())
        std::cout << " (build id " << printable(trace.program.build_id) << ')';
    std::cout << '\n';
    if (trace.program.input) std::cout << "input: " << trace.program.input->bytes << " bytes\n";
    std::cout << "made by: " << printable(trace.tool) << '\n';
    return ExitCode::Clean;
}

}  // namespace

Command declare_show(CLI::App& app) {
    CLI::App* command = app.add_subcommand("show", "Print what a trace tells, without running anything");
    auto path = std::make_shared<std::string>();
    command->add_option("trace", *path, "The trace of a finding, written by explore")->required();
    return {command, [path] { return run_show(*path); }};
}

}  // namespace coopcheck::cmd
