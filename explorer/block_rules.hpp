#pragma once

#include "core/execution.hpp"
#include "explorer/assumptions.hpp"
#include "explorer/monitors.hpp"
#include "explorer/search_options.hpp"

namespace coopcheck {

/// Where blocks begin and end: section 4 of the design, section 4.3 of the paper.
/// Asked before and after each step; learns what it needs on the way, by observe().
class BlockRules {
  public:
    BlockRules(const SearchOptions& options, const ModelOptions& model_options, Assumptions& assumptions)
        : options_(options), model_options_(model_options), assumptions_(assumptions) {}

    /// Learns from the operation the thread is about to make or to attempt. Call before anything else is
    /// asked about the operation.
    void observe(ThreadId thread, const Operation& operation, const Monitors& monitors,
                 const SyncModel& model);

    /// The block that the thread is in ends before this operation.
    [[nodiscard]] bool ends_before(ThreadId thread, const Operation& operation, const Monitors& monitors,
                                   const SyncModel& model) const;
    /// The block ends after this step. `model` is the state after it.
    [[nodiscard]] bool ends_after(ThreadId thread, const StepResult& step, const SyncModel& model) const;

    /// Blocks end before nested acquires: deadlocks of nested locks are executed and need no prediction.
    [[nodiscard]] bool executes_nesting() const;

    /// No other thread can tell when the operation is made: figure 3 pushes no branch for a thread's last
    /// piece.
    [[nodiscard]] bool is_private(ThreadId thread, const Operation& operation, const SyncModel& model) const;

    /// The operation's lock counts in a footprint.
    [[nodiscard]] bool counts_locks(const Operation& operation, const SyncModel& model) const;

  private:
    [[nodiscard]] bool alone(ThreadId thread, const Operation& operation, const SyncModel& model) const;
    [[nodiscard]] bool signals_under_mutex(ThreadId thread, const Operation& operation,
                                           const SyncModel& model) const;
    void observe_nesting(ThreadId thread, const Operation& operation, const Monitors& monitors,
                         const SyncModel& model);

    const SearchOptions& options_;
    const ModelOptions& model_options_;
    Assumptions& assumptions_;
};

}  // namespace coopcheck
