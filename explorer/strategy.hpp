#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/execution.hpp"
#include "core/schedule.hpp"
#include "explorer/random_stream.hpp"

namespace coopcheck {

/// A thread that may make the next step, with the variants its operation can have.
struct Candidate {
    ThreadId thread;
    Operation operation;
    std::vector<Variant> variants;  // never empty
};

/// The place in a run at which a strategy decides.
struct Turn {
    /// Parked before the step to choose. Look, do not touch.
    const Execution& execution;
    /// Never empty, in the order of thread ids. A thread that has yielded and must let others go first is not
    /// in it.
    std::span<const Candidate> candidates;
    /// The thread of the step before; invalid at the start of the run.
    ThreadId last;
};

/// Decides which thread makes the next step of a run, and lives across runs: what it learns in one it may use
/// in the next. Knows nothing of processes, budgets, deadlocks.
///
/// Call order, by sample() alone: begin_run(); then for every step choose() and, when the step has been made,
/// stepped(); then end_run(). A run that was broken off (time is up) has no end_run() before the next
/// begin_run().
class Strategy {
  public:
    Strategy() = default;
    virtual ~Strategy() = default;
    Strategy(const Strategy&) = delete;
    Strategy& operator=(const Strategy&) = delete;

    /// As in the claim: "pct of depth 3, seed 1".
    [[nodiscard]] virtual std::string name() const = 0;

    /// `run` counts from 0.
    virtual void begin_run(std::size_t run) = 0;
    /// One of the candidates with one of its variants.
    virtual Choice choose(const Turn& turn) = 0;
    /// The step just chosen was made; `execution` is parked after it (or at its end).
    virtual void stepped(ThreadId /*thread*/, const StepResult& /*step*/, const Execution& /*execution*/) {}
    /// `complete`: the program came to its end; otherwise everybody was stuck, or a thread reached its limit.
    virtual void end_run(bool /*complete*/) {}

    /// Asked before every run: there are no further ones.
    [[nodiscard]] virtual bool is_finished() const { return false; }

    /// Every thread is chosen with the same probability, and then every variant of it: its runs are Knuth's
    /// probes.
    [[nodiscard]] virtual bool is_uniform() const { return false; }
    /// What the runs so far promise about bugs they have not shown, with its conditions; empty if nothing.
    [[nodiscard]] virtual std::string guarantee() const { return {}; }
};

/// The candidate, with any of its variants.
[[nodiscard]] inline Choice with_any_variant(const Candidate& candidate, RandomStream& random) {
    const std::size_t count = candidate.variants.size();
    return {candidate.thread, candidate.variants[count == 1 ? 0 : random.below(count)]};
}

}  // namespace coopcheck
