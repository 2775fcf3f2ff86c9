#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "core/verdict.hpp"
#include "explorer/budget.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/search_result.hpp"
#include "explorer/strategy.hpp"
#include "explorer/tree_estimate.hpp"

namespace coopcheck {

struct SampleOptions {
    /// The interruption is asked for before every step, and ends the sampling in the middle of a schedule.
    BudgetLimits budget = {.schedules = 1'000};
    /// Threads that have made so many steps are not run further.
    std::size_t thread_step_limit = std::numeric_limits<std::size_t>::max();
    std::size_t max_findings = std::numeric_limits<std::size_t>::max();
    bool find_deadlocks = true;
    /// Decides about runs that end by themselves; without it they are all good.
    Judge judge;
    /// As in SearchOptions: spins at one place that are free before others go first, and that cut a schedule.
    unsigned spin_patience = 1;
    std::size_t spin_limit = 10'000;
    /// A thread that makes so many steps in a row while others could go on is taken to spin as well: it may
    /// wait for them in a loop that reads, which no operation tells from one that works.
    std::size_t turn_limit = 10'000;
};

/// What a number of sampled schedules says.
struct SampleResult {
    std::vector<Finding> findings;
    SearchCounts counts;
    /// Of the schedules that were run to some end: different sequences of choices, and what is left of these
    /// if the order of independent operations does not count.
    std::size_t distinct_schedules = 0;
    std::size_t distinct_classes = 0;
    /// Why no more were run, in words for the user; `has_enough` if it was for the number of findings.
    std::string stop;
    bool has_enough = false;
    /// Of the number of schedules (those that fairness and limits leave); no walks unless the strategy is
    /// uniform.
    TreeEstimate estimate;
    std::string strategy;
    /// What the strategy promises; empty if nothing.
    std::string guarantee;
    /// What was left out, and which conditions hold beyond those that always apply, in words for the user.
    std::vector<std::string> gaps;
    std::vector<std::string> conditions;

    [[nodiscard]] std::size_t schedules() const { return counts.paths(); }
    /// What can be said honestly, in a few sentences. Never that the program is correct.
    [[nodiscard]] std::string claim() const;
};

/// Runs schedules that the strategy chooses until the budget is used up. A switch is possible before every
/// visible operation, so nothing is assumed about the program; data accesses that the Execution does not show
/// as operations (set_visible) are no places to switch at.
///
/// Timeouts fire when nobody else can go on (and whenever they can, if the model offers them). A cycle of
/// waiting threads is reported when it closes; its schedule goes on to its end, unless there are enough
/// findings. `listener` may be null; it hears of every schedule run to some end, as Complete, Deadlocked,
/// Livelocked or Truncated.
[[nodiscard]] SampleResult sample(Execution& execution, Strategy& strategy, const SampleOptions& options,
                                  SearchListener* listener = nullptr);

}  // namespace coopcheck
