#include "cmd/oracles.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "core/error.hpp"

namespace coopcheck::cmd {

namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) throw Error("Cannot read '" + path + "', which the output is to be compared with.");
    return text;
}

/// The line of `text` with the given number, counted from 0.
std::string line_of(const std::string& text, std::size_t number) {
    std::size_t start = 0;
    for (; number > 0; --number) {
        start = text.find('\n', start);
        if (start == std::string::npos) return "";
        start += 1;
    }
    return text.substr(start, text.find('\n', start) - start);
}

std::string first_difference(const std::string& expected, const std::string& actual) {
    const auto position = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end()).first;
    const auto line = static_cast<std::size_t>(std::count(expected.begin(), position, '\n'));
    return "line " + std::to_string(line + 1) + " of the output is '" + line_of(actual, line) +
           "', expected '" + line_of(expected, line) + "'";
}

/// Asks the command once for each output and exit code: schedules that end the same way are many.
class CommandOracle {
  public:
    explicit CommandOracle(std::string command) : command_(std::move(command)) {}

    [[nodiscard]] bool accepts(const std::string& output, int exit_code) {
        const auto [known, is_new] = answers_.try_emplace({output, exit_code}, false);
        if (is_new) known->second = ask(output, exit_code);
        return known->second;
    }

  private:
    [[nodiscard]] bool ask(const std::string& output, int exit_code) const {
        const std::string line =
            "COOPCHECK_EXIT=" + std::to_string(exit_code) + "; export COOPCHECK_EXIT; " + command_;
        std::FILE* pipe = ::popen(line.c_str(), "w");  // NOLINT(cert-env33-c): the user's own command
        if (pipe == nullptr) throw Error("Cannot run the oracle '" + command_ + "'.");
        // An oracle need not read all of it. Ignored only here: the programs we start inherit what is
        // ignored.
        std::signal(SIGPIPE, SIG_IGN);
        // Past the buffer of stdio: what an oracle leaves unread would make pclose fail.
        for (std::size_t written = 0; written < output.size();) {
            const ssize_t count = ::write(::fileno(pipe), output.data() + written, output.size() - written);
            if (count == -1 && errno == EINTR) continue;
            if (count <= 0) break;
            written += static_cast<std::size_t>(count);
        }
        const int status = ::pclose(pipe);
        std::signal(SIGPIPE, SIG_DFL);
        constexpr int not_found = 127;
        constexpr int not_executable = 126;
        if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) == not_found ||
            WEXITSTATUS(status) == not_executable) {
            throw Error("The oracle '" + command_ + "' cannot be run; try it by hand.");
        }
        return WEXITSTATUS(status) == 0;
    }

    std::string command_;
    std::map<std::pair<std::string, int>, bool> answers_;
};

}  // namespace

void declare_oracle(CLI::App& command, OracleOptions& options) {
    command.add_option("--expect-exit", options.expected_exit, "The exit code of a good run (default 0)")
        ->envname("COOPCHECK_EXPECT_EXIT");
    command
        .add_option("--expect-stdout", options.expected_stdout,
                    "A file with what a good run writes to standard output")
        ->envname("COOPCHECK_EXPECT_STDOUT");
    command
        .add_option(
            "--oracle", options.command,
            "A shell command that reads a run's standard output, finds its exit code in COOPCHECK_EXIT, and "
            "exits with 0 if the run was good")
        ->envname("COOPCHECK_ORACLE");
}

Oracle make_oracle(const OracleOptions& options) {
    std::optional<std::string> expected;
    if (!options.expected_stdout.empty()) expected = read_file(options.expected_stdout);
    std::shared_ptr<CommandOracle> command;
    if (!options.command.empty()) command = std::make_shared<CommandOracle>(options.command);
    const int exit_code = options.expected_exit;
    return [expected, command, exit_code, failure_words = options.failure_words](
               const RunEnd& end, const std::function<std::string()>& output) -> std::optional<Verdict> {
        if (end.code != exit_code) {
            const std::string failure = failure_words ? failure_words(output()) : "";
            if (!failure.empty()) return Verdict{FindingKind::Assertion, failure};
            const std::string wanted = exit_code == 0 ? "" : ", expected " + std::to_string(exit_code);
            return Verdict{FindingKind::BadExit, "exit code " + std::to_string(end.code) + wanted};
        }
        if (expected) {
            if (const std::string actual = output(); actual != *expected) {
                return Verdict{FindingKind::WrongOutput, first_difference(*expected, actual)};
            }
        }
        if (command && !command->accepts(output(), end.code)) {
            return Verdict{FindingKind::WrongOutput, "the oracle does not accept this run"};
        }
        return std::nullopt;
    };
}

Judge make_judge(Oracle oracle, std::function<std::string()> output) {
    return [oracle = std::move(oracle), output = std::move(output)](
               const RunEnd& end, const Execution& /*execution*/) { return oracle(end, output); };
}

}  // namespace coopcheck::cmd
