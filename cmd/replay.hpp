#pragma once

#include "cmd/command.hpp"

namespace coopcheck::cmd {

/// coopcheck replay TRACE [--until STEP] [--times N] [-- PROGRAM ARGS...]
Command declare_replay(CLI::App& app);

}  // namespace coopcheck::cmd
