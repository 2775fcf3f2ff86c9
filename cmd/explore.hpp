#pragma once

#include "cmd/command.hpp"

namespace coopcheck::cmd {

/// coopcheck explore [options] [--] BINARY [ARGS...]
Command declare_explore(CLI::App& app);

}  // namespace coopcheck::cmd
