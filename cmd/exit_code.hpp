#pragma once

namespace coopcheck::cmd {

/// What coopcheck tells its caller; part of the interface, see README.md.
enum class ExitCode : int {
    Clean = 0,          ///< complete and nothing found
    Found = 1,          ///< something found
    CannotDo = 2,       ///< bad option, no such file, tracing refused, unmodelled call
    Incomplete = 3,     ///< nothing found but not complete: budget, limit, divergence
    Bug = 4,            ///< a bug in coopcheck
    Interrupted = 130,  ///< by SIGINT
};

}  // namespace coopcheck::cmd
