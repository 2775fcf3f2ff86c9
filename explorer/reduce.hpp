#pragma once

#include <cstddef>
#include <functional>
#include <set>

#include "explorer/counterexample.hpp"
#include "explorer/plan.hpp"
#include "explorer/wanted.hpp"

namespace coopcheck {

/// Delta debugging on the switches of a schedule: runs are taken out, let go on, brought together, exchanged
/// and cut short, odd variants replaced by the first ones, as long as the wanted finding still shows and the
/// cost gets lower. What comes out is good, not proved to be the best.
class Reducer {
  public:
    /// `should_stop` may be empty. No schedule with more than `most_steps` steps is tried.
    Reducer(Execution& execution, const Wanted& wanted, std::function<bool()> should_stop,
            std::size_t most_steps)
        : walk_(execution), wanted_(wanted), should_stop_(std::move(should_stop)), most_steps_(most_steps) {}

    /// Replaces the counterexample by the best one found. The places of `best` must be those of the execution
    /// as it is now (the same accesses visible).
    void reduce(Counterexample& best);
    /// Accesses have become visible or invisible: a plan may now mean something else.
    void forget_tried() { tried_.clear(); }
    /// Schedules run.
    [[nodiscard]] std::size_t tried() const { return count_; }

  private:
    /// Each of these tries all candidates of one kind; true if one of them was better.
    bool take_runs_out(Counterexample& best);
    bool let_runs_go_on(Counterexample& best);
    bool bring_runs_together(Counterexample& best);
    bool exchange_runs(Counterexample& best);
    bool cut_runs_short(Counterexample& best);
    bool straighten_variants(Counterexample& best);
    /// Runs the candidate; if it is better it becomes the best.
    bool try_plan(Counterexample& best, const Plan& plan);
    [[nodiscard]] bool stopped();

    Walk walk_;
    const Wanted& wanted_;
    std::function<bool()> should_stop_;
    std::size_t most_steps_;
    std::set<Plan> tried_;
    std::size_t count_ = 0;
    bool stopped_ = false;
};

}  // namespace coopcheck
