#include <csignal>
#include <exception>
#include <iostream>

#include "cmd/command_line.hpp"
#include "cmd/exit_code.hpp"
#include "core/error.hpp"

namespace coopcheck::cmd {

namespace {

ExitCode run_reporting_failures(int argc, const char* const* argv) {
    try {
        const ExitCode code = run_command_line(argc, argv);
        if (!std::cout.flush()) throw Error("Cannot write to stdout; is the disk full?");
        return code;
    } catch (const Error& error) {
        std::cerr << "coopcheck: " << error.what() << '\n';
        return ExitCode::CannotDo;
    } catch (const std::exception& error) {
        std::cerr << "coopcheck: a bug in coopcheck, please report: " << error.what() << '\n';
        return ExitCode::Bug;
    }
}

}  // namespace

}  // namespace coopcheck::cmd

int main(int argc, char** argv) {
    // With SIGCHLD ignored, which a caller may hand down, the kernel reaps our children before we can.
    std::signal(SIGCHLD, SIG_DFL);
    return static_cast<int>(coopcheck::cmd::run_reporting_failures(argc, argv));
}
