#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "core/free_outcome.hpp"
#include "core/names.hpp"
#include "core/noise.hpp"
#include "tracer/breakpoints.hpp"
#include "tracer/launch.hpp"
#include "tracer/modules.hpp"
#include "tracer/source_lines.hpp"
#include "tracer/symbol_file.hpp"
#include "tracer/unwinder.hpp"

namespace coopcheck::tracer {

struct FreeOptions {
    /// A run that takes longer is killed.
    std::chrono::milliseconds time_limit = std::chrono::seconds(10);
    /// When nothing has happened for so long it is looked whether all threads wait for each other.
    std::chrono::milliseconds quiet_limit = std::chrono::milliseconds(200);
    /// Functions are entered through copies of their first instructions, or by a step for which all others
    /// stand still.
    Breakpoints::Copies copies = Breakpoints::Copies::Everywhere;
    /// Asked several times a second; a run is killed when it says yes. May be empty.
    std::function<bool()> interruption;
};

/// What the free runs of one program have in common.
struct FreeSession {
    explicit FreeSession(const LaunchOptions& launch) : launcher(launch) {}

    Launcher launcher;
    FreeOptions options;
    std::string input;
    cpu_set_t cpus{};
    Names names;
    SymbolFiles files;
    SourceLines source_lines;
    Unwinder unwinder;
    /// The functions of the program in which operations were made, by site.
    std::map<std::uint64_t, std::string> functions;
};

/// Runs a program with ordinary kernel threads that run in parallel, stopped for a moment at each of its
/// operations to record it and, if so decided, disturbed there. Its input is the same every time; no process
/// of it is left behind.
class FreeRuns {
  public:
    /// As NativeRuns: make this before a TracedExecution.
    FreeRuns(const LaunchOptions& launch, FreeOptions options);

    [[nodiscard]] FreeOutcome run(const DecideNoise& decide);
    /// Of the threads and objects in FreeOutcome::operations, the same in all runs.
    [[nodiscard]] const Names& names() const { return session_.names; }
    /// The function of the program that a site of such an operation lies in; empty if it is not known.
    [[nodiscard]] std::string function_of(std::uint64_t site) const;

  private:
    FreeSession session_;
};

}  // namespace coopcheck::tracer
