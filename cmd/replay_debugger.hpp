#pragma once

#include <string>
#include <vector>

#include "core/ids.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// Throws Error, with what to do, if there is no debugger here.
void require_debugger();

struct DebuggerWishes {
    std::string program;
    std::vector<std::string> arguments;
    /// The thread to be shown first; invalid: any.
    ThreadId thread;
};

/// Hands the program over to gdb, with our terminal, and returns when gdb has ended. If the run has ended,
/// the program is taken back to before its last step first.
void debug(tracer::TracedExecution& execution, DebuggerWishes wishes);

}  // namespace coopcheck::cmd
