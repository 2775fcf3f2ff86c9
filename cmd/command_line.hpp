#pragma once

#include "cmd/exit_code.hpp"

namespace coopcheck::cmd {

/// Parses the command line and runs the command it asks for. Throws Error if it makes no sense.
ExitCode run_command_line(int argc, const char* const* argv);

}  // namespace coopcheck::cmd
