#pragma once

#include <sched.h>

#include <array>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tracer/child_process.hpp"
#include "tracer/launch_failure.hpp"
#include "tracer/program_file.hpp"
#include "tracer/system_call_filter.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

struct LaunchOptions {
    /// A path, or a name to be found in PATH.
    std::string program = {};
    /// Without the program's own name.
    std::vector<std::string> arguments = {};
    /// Empty: ours.
    std::string working_directory = {};
    /// "NAME=value"; none: ours.
    std::optional<std::vector<std::string>> environment = {};
    /// What the program reads from its standard input; none: what we read from ours, once.
    std::optional<std::string> input = {};
};

/// A program stopped before its first instruction, with our scratch page in it.
struct Launched {
    ChildProcess process;
    /// Its first own instruction (the dynamic linker's come before).
    RemoteAddress entry{};
    RemoteAddress program_headers{};
    /// The dynamic linker; null_address in a static program.
    RemoteAddress loader{};
    RemoteAddress stack{};
};

/// What a program that runs freely gets from us.
struct FreeSurroundings {
    /// Standard input, output and error.
    std::array<int, 3> files{};
    /// Where it may run, and which signals it blocks at its start: ours may have been changed for our own
    /// purposes.
    cpu_set_t cpus{};
    sigset_t signal_mask{};
};

/// Starts the same program, in the same surroundings, as often as wanted.
class Launcher {
  public:
    /// Throws Error when the program is none for us.
    explicit Launcher(LaunchOptions options);

    [[nodiscard]] const ProgramFile& program() const { return program_; }
    [[nodiscard]] const LaunchOptions& options() const { return options_; }

    /// Throws Error with the reason when the program cannot be started.
    [[nodiscard]] Launched launch(StopAt stop_at = StopAt::Modelled) const;
    /// The same for a program whose threads are the kernel's: no system call stops it, the time is the real
    /// one. Addresses are fixed, so that objects can be named.
    [[nodiscard]] Launched launch_free(const FreeSurroundings& surroundings) const;

    /// In a child: becomes the program. Returns only with a failure, as the child's exit code, after having
    /// told it through the pipe. Safe between fork and exec.
    [[nodiscard]] int run_free_child(int failure_pipe, const FreeSurroundings& surroundings,
                                     bool traced) const;
    /// Throws an Error that says it.
    [[noreturn]] void explain(const LaunchFailure& failure) const;

  private:
    enum class Tracing : std::uint8_t { None, Free, Controlled };

    [[nodiscard]] Launched start(const std::function<int(int)>& body, bool free) const;
    [[nodiscard]] int run_child(int failure_pipe, const SystemCallFilter& filter) const;
    /// 0, or the exit code after a failure.
    [[nodiscard]] int prepare_child(int failure_pipe, bool fix_addresses) const;
    /// `filter`: none for one that is not controlled.
    [[nodiscard]] int execute(int failure_pipe, Tracing tracing, const SystemCallFilter* filter) const;

    LaunchOptions options_;
    ProgramFile program_;
    SystemCallFilter filter_;
    SystemCallFilter filter_all_;
    std::vector<std::string> arguments_;
    std::vector<std::string> environment_;
};

}  // namespace coopcheck::tracer
