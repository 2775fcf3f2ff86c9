#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "tracer/released_program.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

class TracedExecution;

/// Which gdb there is; none if none is installed. Throws nothing: whether that is a problem is for the caller
/// to say.
[[nodiscard]] std::optional<std::string> find_debugger();

struct DebuggerOptions {
    /// What find_debugger() found.
    std::string debugger;
    std::string program;
    /// More arguments, after those that make it attach.
    std::vector<std::string> arguments = {};
    /// The thread to be looked at first; invalid: whichever the debugger takes.
    ThreadId thread = {};
};

/// A stopped program in the hands of a debugger. While that runs we are there for the program's system calls,
/// and after that the program is killed; if we are killed, the kernel kills both.
class Handover {
  public:
    /// Takes the program out of the execution, where it stands.
    explicit Handover(TracedExecution& execution);
    /// Ends the program.
    ~Handover();
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;

    [[nodiscard]] const ReleasedProgram& program() const { return program_; }

    /// Runs a debugger on the program, with our standard input and output, to the debugger's end. Once only.
    void run_debugger(const DebuggerOptions& options);

    /// Kills the program and what it has started, if it has not ended by itself. Returns how it ended.
    WaitStatus end_program();

  private:
    [[nodiscard]] std::vector<std::string> command_line(const DebuggerOptions& options) const;
    void answer_calls_until_end_of(ProcessId debugger);

    ReleasedProgram program_;
};

}  // namespace coopcheck::tracer
