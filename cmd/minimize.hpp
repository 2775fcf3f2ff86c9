#pragma once

#include "cmd/command.hpp"

namespace coopcheck::cmd {

Command declare_minimize(CLI::App& app);

}  // namespace coopcheck::cmd
