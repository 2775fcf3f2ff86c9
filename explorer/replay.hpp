#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/retrace.hpp"
#include "core/trace.hpp"

namespace coopcheck {

/// A step that a replay made.
struct ReplayedStep {
    enum class Kind {
        Matching,  ///< the trace's step of this number
        Extra,     ///< of the runtime library, not in the trace; `number` is that of the step that comes next
        Beyond,    ///< after the trace's last step, to see how the program goes on
    };
    Kind kind = Kind::Matching;
    std::size_t number = 0;  ///< counted from 1
    TraceStep step;
};

struct ReplayOptions {
    /// Stop before this step of the trace, counted from 1.
    std::size_t until = std::numeric_limits<std::size_t>::max();
    /// A program that does not fail at the end of the trace is run on, so many steps at most.
    std::size_t beyond_limit = 100'000;
    TraceWords words = {};
    /// The memory that TraceWords::location gives this name. Without it names are addresses.
    std::function<std::optional<Location>(const std::string&)> locate = {};
    /// What the program has written so far; for findings about that.
    std::function<std::string()> output = {};
    /// Told about every step.
    std::function<void(const ReplayedStep&)> on_step = {};
    /// The execution has learnt what the program's operations are (Refined): the replay starts over.
    std::function<void()> on_restart = {};
};

/// Where a run stopped being the one of the trace.
struct Divergence {
    std::size_t step = 0;  ///< counted from 1
    /// "T0.1 to do pthread_mutex_lock(a)"
    std::string expected;
    /// "T0.1 is at pthread_mutex_unlock(b)"
    std::string happened;
    /// Of where the thread is; empty if not known.
    std::string source;
};

struct ReplayResult {
    enum class Kind {
        Reproduced,        ///< the trace's finding
        DifferentFinding,  ///< another one: `finding`
        Diverged,          ///< `divergence`
        GoodEnd,           ///< all steps were made, and the program came to a good end
        Stopped,           ///< before ReplayOptions::until
        Unfinished,        ///< all steps were made; where the program goes on to was not seen
    };
    Kind kind = Kind::Unfinished;
    std::optional<TraceFinding> finding;
    std::optional<Divergence> divergence;
    /// Operations of the runtime library that were in the trace or in the run alone.
    std::size_t runtime_differences = 0;
    /// The threads where the replay ended, with those that keep them from going on.
    std::vector<TraceWait> parked;
};

/// Runs the program along the trace. A step is matched by thread, operation, objects and occurrence, all by
/// name: a program that was built again with other addresses and lines still follows its trace. What a step
/// returns has to be the same as well. Where the last step is the failure itself and the thread does
/// something else now, the program is run on as after the last step: that is what a repaired program does.
///
/// Operations on objects of the runtime library (the locks of stdio, malloc, the loader) are seen only where
/// threads meet there, and another version of the library may make others. So one that is in the run alone is
/// made on the way, one that is in the trace alone is left out; both are counted.
[[nodiscard]] ReplayResult replay(Execution& execution, const Trace& trace, const ReplayOptions& options);

/// Why a replay may have gone elsewhere, as far as the programs tell: a sentence without its full stop.
[[nodiscard]] std::string likely_cause(const TraceProgram& recorded, const TraceProgram& replayed);

}  // namespace coopcheck
