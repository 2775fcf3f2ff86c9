#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "core/execution.hpp"
#include "core/schedule.hpp"

namespace coopcheck {

/// What a schedule asks of its reader, in the order in which it counts: compared from the first to the last.
struct ScheduleCost {
    std::size_t preemptions = 0;
    std::size_t switches = 0;
    std::size_t steps = 0;
    std::size_t threads = 0;
    /// Steps that took another variant than the first one offered, or timed out, or woke up for no reason.
    std::size_t odd_variants = 0;

    friend auto operator<=>(const ScheduleCost&, const ScheduleCost&) = default;
};

/// A step as it was made.
struct WalkStep {
    Choice choice;
    Operation operation;
    bool preempting = false;
    bool odd = false;
};

/// Runs a program step by step and keeps account of what was run and what it costs. Offers exactly the
/// choices that the search has: a time limit that is not explored as a variant runs out only when nothing
/// else can go on.
class Walk {
  public:
    explicit Walk(Execution& execution) : execution_(execution) {}

    void restart();
    /// To `place`, where the first `count` of the steps lead.
    void resume(const PlacePtr& place, const std::vector<WalkStep>& steps, std::size_t count);

    /// Everything the thread can do now; empty if it cannot go on, or is not there.
    [[nodiscard]] std::vector<Variant> options(ThreadId thread) const;
    [[nodiscard]] bool can_go_on(ThreadId thread) const;
    /// One of the options, or running out of time earlier: a search lets that happen also when all who could
    /// go on are held back because they spin.
    [[nodiscard]] bool is_legal(Choice choice) const;
    /// The choice must be legal.
    StepResult step(Choice choice);

    [[nodiscard]] Execution& execution() { return execution_; }
    [[nodiscard]] const Execution& execution() const { return execution_; }
    /// The thread of the last step; invalid before the first.
    [[nodiscard]] ThreadId last() const { return steps_.empty() ? ThreadId{} : steps_.back().choice.thread; }
    /// The last step offered the others a turn.
    [[nodiscard]] bool gave_way() const;
    [[nodiscard]] std::size_t steps_of(ThreadId thread) const;
    [[nodiscard]] const std::vector<WalkStep>& steps() const { return steps_; }
    [[nodiscard]] const ScheduleCost& cost() const { return cost_; }
    [[nodiscard]] Schedule schedule() const;

  private:
    void account(const WalkStep& step);
    [[nodiscard]] const ParkedThread* parked(ThreadId thread) const;
    [[nodiscard]] bool anybody_enabled() const;

    Execution& execution_;
    std::vector<WalkStep> steps_;
    std::vector<std::size_t> steps_of_;
    ScheduleCost cost_;
};

}  // namespace coopcheck
