#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cmd/cli_app.hpp"
#include "core/verdict.hpp"

namespace coopcheck::cmd {

/// What a run that ends by itself has to be like.
struct OracleOptions {
    int expected_exit = 0;
    /// Files; empty if there is nothing to compare with.
    std::string expected_stdout;
    /// A command for the shell: gets the program's standard output as its input and the exit code in the
    /// variable COOPCHECK_EXIT; the run is good if it exits with 0.
    std::string command;

    /// Finds in the output what is wrong with a run whose exit code is not the expected one, if the program
    /// says so; may be empty.
    std::function<std::string(const std::string&)> failure_words;

    [[nodiscard]] bool look_at_output() const { return !expected_stdout.empty() || !command.empty(); }
};

void declare_oracle(CLI::App& command, OracleOptions& options);

/// Judges a run that ended by itself with the given standard output; nothing if it was good.
using Oracle =
    std::function<std::optional<Verdict>(const RunEnd& end, const std::function<std::string()>& output)>;

/// Throws Error if a file cannot be read.
[[nodiscard]] Oracle make_oracle(const OracleOptions& options);

/// The oracle for runs under control; `output` tells the standard output of the run that has just ended.
[[nodiscard]] Judge make_judge(Oracle oracle, std::function<std::string()> output);

}  // namespace coopcheck::cmd
