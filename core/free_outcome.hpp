#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/noise.hpp"

namespace coopcheck {

/// How a run went whose threads nobody controlled.
struct FreeOutcome {
    enum class Stop : std::uint8_t {
        Ended,
        Stuck,  ///< every thread waits on a futex, none of them with a time limit: a deadlock, or a wait for
                ///< another process. Only seen in runs whose threads are traced.
        TimeLimit,
        Interrupted,
    };
    Stop stop = Stop::Ended;
    /// Only of a run that ended.
    std::optional<RunEnd> end;
    std::string standard_output;
    std::string standard_error;
    /// More was written than is kept.
    bool output_cut = false;

    /// Of a run with noise: its operations, in the order in which the threads were let go on to make them.
    std::vector<FreeOperation> operations;
    /// How often there was noise.
    std::size_t noises = 0;
    /// How often the kernel did not let us change a priority.
    std::size_t refused_priorities = 0;
};

}  // namespace coopcheck
