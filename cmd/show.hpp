#pragma once

#include "cmd/command.hpp"

namespace coopcheck::cmd {

/// coopcheck show TRACE: the report of a finding from its file alone, without the program.
Command declare_show(CLI::App& app);

}  // namespace coopcheck::cmd
