#pragma once

#include <string>
#include <vector>

#include "cmd/cli_app.hpp"

namespace coopcheck::cmd {

/// Makes everything from the first word on that is no option of the command belong to a program: its name,
/// its arguments, its options. A -- before it is allowed and left out.
void declare_program(CLI::App& command);

/// The program and its arguments, after parsing. Throws Error if there is none.
[[nodiscard]] std::vector<std::string> program_words(const CLI::App& command);

}  // namespace coopcheck::cmd
