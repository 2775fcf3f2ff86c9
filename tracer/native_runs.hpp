#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/free_outcome.hpp"
#include "tracer/cpu_pin.hpp"
#include "tracer/launch.hpp"

namespace coopcheck::tracer {

struct NativeOptions {
    /// A run that takes longer is killed.
    std::chrono::milliseconds time_limit = std::chrono::seconds(10);
    /// Asked several times a second; a run is killed when it says yes. May be empty.
    std::function<bool()> interruption;
};

/// Runs a program as the user would, without ptrace: the same input every time, output collected, and nothing
/// left behind. Whatever processes the program makes are killed with its end, with the time limit, and
/// when this process ends in whatever way.
class NativeRuns {
  public:
    /// Throws Error when this is no program for us. The program may use the CPUs that the calling thread may
    /// use now: make this before a TracedExecution, which keeps its thread on one. If there is no input in
    /// `launch`, ours is read now, unless it is a terminal, which counts as empty.
    NativeRuns(const LaunchOptions& launch, NativeOptions options);

    [[nodiscard]] FreeOutcome run();
    [[nodiscard]] const NativeOptions& options() const { return options_; }

  private:
    Launcher launcher_;
    NativeOptions options_;
    std::string input_;
    cpu_set_t cpus_{};
};

}  // namespace coopcheck::tracer
