#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/schedule.hpp"
#include "core/verdict.hpp"
#include "explorer/counterexample.hpp"

namespace coopcheck {

/// The last choice of a failing schedule after which there was still a way out.
struct Decision {
    /// Up to this step of the failing schedule the passing one is the same.
    std::size_t step = 0;
    /// What would have had to be done instead.
    Choice instead;
    /// The nearest passing schedule: it ends without any finding, and of the ones tried none shares more
    /// steps with the failing one.
    Schedule passing;
    ScheduleCost passing_cost;
};

/// What was found about the way out, and how thoroughly it was looked for. At a step everything else that
/// could have been done there is tried, and completed without further preemptions in two ways: threads take
/// turns in the order of their numbers, and in the opposite order.
struct DecisionSearch {
    /// Nothing if no continuation that was tried passes.
    std::optional<Decision> decision;
    std::size_t continuations = 0;
    /// Continuations that were given up because they were too long.
    std::size_t given_up = 0;
    /// Every step after the decision was tried (every step at all, if there is no decision), and none was
    /// given up.
    bool finished = false;
};

struct DecisionOptions {
    /// May be empty.
    std::function<bool()> should_stop;
    /// Continuations that get longer are given up.
    std::size_t most_steps = 0;
    /// Decides whether a run that ends by itself passes; may be empty.
    Judge judge;
};

/// Looks for the decisive choice of one failing schedule. What has no way out at some step has none later, so
/// the steps where threads change are tried from the last one backwards, and the stretch after the first that
/// passes is bisected. That a continuation fails does not prove that all do; thorough() therefore tries the
/// remaining steps one by one.
class DecisionFinder {
  public:
    DecisionFinder(Execution& execution, const Counterexample& failing, DecisionOptions options)
        : walk_(execution),
          failing_(failing),
          options_(std::move(options)),
          tried_(failing.steps.size(), false) {}

    void quick();
    /// From the end backwards to the decision, until so many steps have been made.
    void thorough(std::size_t budget_steps);
    [[nodiscard]] DecisionSearch result() const;

  private:
    /// Tries everything else that could be done at the step; true if something passes.
    bool passes(std::size_t step);
    void try_continuations(std::size_t step, Choice instead);
    void bisect(std::size_t passing, std::size_t failing);
    [[nodiscard]] bool stopped();

    Walk walk_;
    const Counterexample& failing_;
    DecisionOptions options_;
    std::vector<bool> tried_;
    DecisionSearch search_;
    std::size_t steps_made_ = 0;
    bool stopped_ = false;
};

}  // namespace coopcheck
