#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tracer/child_process.hpp"
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

/// Starts the same program, in the same surroundings, as often as wanted.
class Launcher {
  public:
    /// Throws Error when the program is none for us.
    explicit Launcher(LaunchOptions options);

    [[nodiscard]] const ProgramFile& program() const { return program_; }
    [[nodiscard]] const LaunchOptions& options() const { return options_; }

    /// Throws Error with the reason when the program cannot be started.
    [[nodiscard]] Launched launch() const;

  private:
    [[nodiscard]] int run_child(int failure_pipe) const;

    LaunchOptions options_;
    ProgramFile program_;
    SystemCallFilter filter_;
    std::vector<std::string> arguments_;
    std::vector<std::string> environment_;
};

}  // namespace coopcheck::tracer
