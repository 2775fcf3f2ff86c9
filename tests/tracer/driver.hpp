#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::tracer::test {

/// Chooses one of `count` ways to go on; `count` is never 0.
using Policy = std::function<std::size_t(std::size_t count)>;

[[nodiscard]] Policy first_enabled();
[[nodiscard]] Policy round_robin();
[[nodiscard]] Policy at_random(unsigned seed);

/// What happened in one run, in words that two runs can be compared by.
struct Record {
    Schedule schedule;
    /// One line a step: thread, operation, objects, result, and what the thread is parked at next.
    std::vector<std::string> steps;
    std::vector<PlacePtr> places;
    std::optional<RunEnd> end;
    bool deadlock = false;
    /// Gave up after the limit of steps.
    bool endless = false;
    std::string standard_output;
    std::string standard_error;
};

struct DriveOptions {
    std::size_t step_limit = 20000;
    /// Ask the execution for every place.
    bool collect_places = false;
};

/// From where the execution stands to the end.
[[nodiscard]] Record drive(TracedExecution& execution, const Policy& policy,
                           const DriveOptions& options = {});
/// The same with decisions made before; ends with the last of them.
[[nodiscard]] Record replay(TracedExecution& execution, const Schedule& schedule, std::size_t from = 0);

/// The path of a program in tests/targets.
[[nodiscard]] std::string target(const std::string& name);

/// Programs in tests/targets whose output does not depend on the schedule.
[[nodiscard]] const std::vector<std::string>& steady_programs();

/// What a program does without us.
struct NativeRun {
    int exit_code = 0;
    std::string standard_output;
};
[[nodiscard]] NativeRun run_natively(const std::string& command);

}  // namespace coopcheck::tracer::test
