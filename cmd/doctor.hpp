#pragma once

#include "cmd/command.hpp"

namespace coopcheck::cmd {

/// coopcheck doctor: says whether coopcheck can work on this machine and what to do if not.
Command declare_doctor(CLI::App& app);

}  // namespace coopcheck::cmd
