#pragma once

#include <functional>

#include "cmd/cli_app.hpp"
#include "cmd/exit_code.hpp"

namespace coopcheck::cmd {

/// One command, as `doctor` in `coopcheck doctor`.
struct Command {
    /// Owned by the App it was declared in; parsed() says whether the user asked for this command.
    CLI::App* options;
    /// Called after parsing, at most once.
    std::function<ExitCode()> run;
};

/// Adds a command with its options and help to `app`. What the options are parsed into belongs to `run`.
using DeclareCommand = Command (*)(CLI::App& app);

}  // namespace coopcheck::cmd
