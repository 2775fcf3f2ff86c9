#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "explorer/event.hpp"
#include "explorer/step_numbers.hpp"

namespace coopcheck {

/// What a step changed besides what its operation does.
struct SideEffects {
    /// Objects that nobody knew before, and objects that began a new life.
    std::vector<std::pair<ObjectId, ObjectState>> born;
    std::vector<std::pair<ObjectId, ObjectState>> renewed;
    /// Whether its thread can be cancelled.
    std::optional<bool> cancel_enabled;

    [[nodiscard]] bool empty() const { return born.empty() && renewed.empty() && !cancel_enabled; }
};

/// Of a step between these two; nothing if it changed what cannot be told in this way.
[[nodiscard]] std::optional<SideEffects> side_effects(SyncModel before, const SyncModel& after,
                                                      ThreadId thread, const Operation& operation,
                                                      Variant variant);

/// A step with everything that happens before it: wherever that has been done, and this thread is next, the
/// same happens.
struct RecordedStep {
    ThreadId thread;
    Operation operation;
    Variant variant;
    /// How many steps of each thread come before it; itself included.
    EventCounts after;
    std::uint64_t number = 0;  ///< StepNumbers
    /// Whoever else is alive.
    bool ends_run = false;
    SideEffects effects;
    /// The runs in which it was made, in the order in which they were.
    std::vector<std::uint32_t> runs;
};

/// Runs that were made, as a store of what can happen: of a set of steps that one of them contains together
/// with all that happens before them, it tells what each thread does next.
class RecordedRuns {
  public:
    /// A step of a run that is added.
    struct Made {
        const Event* event = nullptr;
        SideEffects effects;
        bool ends_run = false;
    };

    /// Returns the number of the run. `pending`: where its threads were parked at its end, or, if it was
    /// ended, before the last step.
    std::uint32_t add(std::span<const Made> steps, std::span<const PendingOperation> pending);
    [[nodiscard]] std::size_t size() const { return runs_.size(); }
    /// Of all runs together.
    [[nodiscard]] std::size_t steps() const { return steps_; }
    /// Of the run that was added last: the numbers of its beginnings, from the empty one on. That of a set of
    /// steps is the sum of theirs.
    [[nodiscard]] const std::vector<std::uint64_t>& beginnings() const { return beginnings_; }
    /// Of the same run: who made its steps.
    [[nodiscard]] const std::vector<ThreadId>& order() const { return turns_; }

    /// What the thread did in the run when it had made so many steps; nothing if it made no more.
    [[nodiscard]] const RecordedStep* step(std::uint32_t run, std::size_t thread, std::uint32_t nth) const;
    /// The same, or what it was parked at.
    [[nodiscard]] const Operation* operation(std::uint32_t run, std::size_t thread, std::uint32_t nth) const;
    [[nodiscard]] std::size_t threads(std::uint32_t run) const { return runs_[run].threads.size(); }

    /// Whether in this run the choice follows at once after the steps that were made; `number` is that of all
    /// of them.
    [[nodiscard]] bool follows(std::uint32_t run, const EventCounts& made, std::uint64_t number,
                               Choice choice) const {
        return contains(run, made, number) && follows_in(run, made, choice) != nullptr;
    }
    struct Following {
        const RecordedStep* step = nullptr;
        std::uint32_t run = 0;
    };
    /// The step by which it does in whichever run. `run` contains what was made.
    [[nodiscard]] std::optional<Following> following(std::uint32_t run, const EventCounts& made,
                                                     std::uint64_t number, Choice choice) const;

  private:
    struct Thread {
        std::vector<const RecordedStep*> steps;
        /// The sum of the numbers of the first of them.
        std::vector<std::uint64_t> sums{0};
        std::optional<Operation> parked_at;
    };
    struct Run {
        std::vector<Thread> threads;
    };

    [[nodiscard]] const RecordedStep* follows_in(std::uint32_t run, const EventCounts& made,
                                                 Choice choice) const;
    [[nodiscard]] bool contains(std::uint32_t run, const EventCounts& made, std::uint64_t number) const;

    std::unordered_map<std::uint64_t, RecordedStep> all_;
    std::vector<Run> runs_;
    std::size_t steps_ = 0;
    std::vector<std::uint64_t> beginnings_;
    std::vector<ThreadId> turns_;
    StepNumbers numbers_;
};

}  // namespace coopcheck
