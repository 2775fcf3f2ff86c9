#pragma once

#include "cmd/command.hpp"

namespace coopcheck::cmd {

/// `coopcheck help terms`: what the words of reports mean.
Command declare_help(CLI::App& app);

}  // namespace coopcheck::cmd
