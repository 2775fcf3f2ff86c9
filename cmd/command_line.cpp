#include "cmd/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "cmd/command.hpp"
#include "cmd/doctor.hpp"
#include "cmd/explore.hpp"
#include "cmd/help.hpp"
#include "cmd/minimize.hpp"
#include "cmd/replay.hpp"
#include "cmd/show.hpp"
#include "core/error.hpp"
#include "core/log.hpp"

namespace coopcheck::cmd {

namespace {

/// All commands, in the order of the help page.
constexpr std::array<DeclareCommand, 6> all_commands = {
    declare_explore, declare_replay, declare_minimize, declare_show, declare_doctor, declare_help,
};

const std::string see_help = "; see coopcheck --help.";

struct LogOptions {
    log::Level level = log::Level::Warning;
    bool verbose = false;
};

void declare_log_options(CLI::App& app, LogOptions& options) {
    const std::map<std::string, log::Level> levels = {
        {"trace", log::Level::Trace},     {"debug", log::Level::Debug}, {"info", log::Level::Info},
        {"warning", log::Level::Warning}, {"error", log::Level::Error}, {"off", log::Level::Off},
    };
    app.add_option("--log", options.level, "Log to stderr what is at least this important")
        ->transform(CLI::Transformer(levels).description("trace|debug|info|warning|error|off"))
        ->envname("COOPCHECK_LOG");
    app.add_flag("-v,--verbose", options.verbose, "The same as --log debug");
}

std::string describe_extra(const std::string& argument) {
    return (argument.starts_with('-') ? "Unknown option " : "Unknown command or argument ") + argument;
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv) {
    CLI::App app{"Runs a multithreaded Linux program under every thread schedule that matters.", "coopcheck"};
    app.set_version_flag("--version", "coopcheck " COOPCHECK_VERSION, "Print the version and exit");
    LogOptions log_options;
    declare_log_options(app, log_options);
    std::vector<Command> commands;
    commands.reserve(all_commands.size());
    for (const DeclareCommand declare : all_commands) commands.push_back(declare(app));

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked_for_text) {  // --help, --version
        app.exit(asked_for_text);
        return ExitCode::Clean;
    } catch (const CLI::ExtrasError&) {
        throw Error(describe_extra(app.remaining(true).front()) + see_help);
    } catch (const CLI::ParseError& error) {
        throw Error(error.what() + see_help);
    }

    log::set_level(log_options.verbose ? log::Level::Debug : log_options.level);
    for (const Command& command : commands) {
        if (command.options->parsed()) return command.run();
    }
    throw Error("No command given" + see_help);
}

}  // namespace coopcheck::cmd
