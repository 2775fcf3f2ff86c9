#include "explorer/decision.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "explorer/deadlock.hpp"
#include "explorer/plan.hpp"
#include "explorer/run_findings.hpp"
#include "explorer/wanted.hpp"

namespace coopcheck {

namespace {

enum class End : std::uint8_t { Passed, Failed, TooLong };

/// A thread that has failed and only waits for the process to end with it: no such run passes.
bool somebody_failed(const Execution& execution) {
    const auto all = execution.parked();
    return std::any_of(all.begin(), all.end(),
                       [](const ParkedThread& parked) { return parked.operation.kind == OpKind::Failure; });
}

bool somebody_in_cycle(const Execution& execution) {
    const auto all = execution.parked();
    return std::any_of(all.begin(), all.end(), [&](const ParkedThread& parked) {
        return find_wait_cycle(execution, parked.thread).has_value();
    });
}

/// Makes the choice and then goes on without preemptions to the end, or to the first thing that is a finding.
End complete(Walk& walk, Choice choice, TurnOrder order, std::size_t most_steps, const Judge& judge) {
    for (;;) {
        const StepResult result = walk.step(choice);
        if (result.end) {
            const bool failed =
                finding_of_end(*result.end, {{choice.thread, result.operation, choice.variant, false}},
                               walk.execution(), judge)
                    .has_value();
            return failed ? End::Failed : End::Passed;
        }
        if (somebody_failed(walk.execution()) || somebody_in_cycle(walk.execution())) {
            return End::Failed;
        }
        if (walk.steps().size() >= most_steps) {
            return End::TooLong;
        }
        const std::optional<ThreadId> next = next_without_preemption(walk, order);
        if (!next) {
            return End::Failed;  // everybody is stuck
        }
        choice = {*next, walk.options(*next).front()};
    }
}

std::vector<Choice> alternatives(const Walk& walk, Choice made) {
    std::vector<Choice> others;
    for (const ParkedThread& parked : walk.execution().parked()) {
        for (const Variant variant : walk.options(parked.thread)) {
            const Choice choice{parked.thread, variant};
            if (choice != made) {
                others.push_back(choice);
            }
        }
    }
    return others;
}

}  // namespace

bool DecisionFinder::stopped() {
    stopped_ = stopped_ || (options_.should_stop && options_.should_stop());
    return stopped_;
}

void DecisionFinder::try_continuations(std::size_t step, Choice instead) {
    for (const TurnOrder order : {TurnOrder::Ascending, TurnOrder::Descending}) {
        if (stopped()) {
            return;
        }
        walk_.resume(failing_.places[step], failing_.steps, step);
        const End end = complete(walk_, instead, order, options_.most_steps, options_.judge);
        search_.continuations += 1;
        search_.given_up += end == End::TooLong ? 1 : 0;
        steps_made_ += walk_.steps().size() - step;
        const bool nearer = !search_.decision || step > search_.decision->step ||
                            (step == search_.decision->step && walk_.cost() < search_.decision->passing_cost);
        if (end == End::Passed && nearer) {
            search_.decision = Decision{step, instead, walk_.schedule(), walk_.cost()};
        }
    }
}

bool DecisionFinder::passes(std::size_t step) {
    if (!tried_[step]) {
        walk_.resume(failing_.places[step], failing_.steps, step);
        if (!somebody_failed(walk_.execution())) {
            for (const Choice instead : alternatives(walk_, failing_.steps[step].choice)) {
                try_continuations(step, instead);
            }
        }
        tried_[step] = !stopped_;
    }
    return search_.decision && search_.decision->step >= step;
}

void DecisionFinder::bisect(std::size_t passing, std::size_t failing) {
    while (failing - passing > 1 && !stopped()) {
        const std::size_t middle = passing + (failing - passing) / 2;
        (passes(middle) ? passing : failing) = middle;
    }
}

void DecisionFinder::quick() {
    std::size_t failing = failing_.steps.size();
    for (std::size_t step = failing_.steps.size(); step-- > 0 && !stopped();) {
        const bool starts_run =
            step == 0 || failing_.steps[step].choice.thread != failing_.steps[step - 1].choice.thread;
        if (starts_run && passes(step)) {
            bisect(step, failing);
            return;
        }
        failing = starts_run ? step : failing;
    }
}

void DecisionFinder::thorough(std::size_t budget_steps) {
    const std::size_t end = steps_made_ + budget_steps;
    for (std::size_t step = failing_.steps.size(); step-- > 0 && steps_made_ < end && !stopped();) {
        if (passes(step)) {
            return;
        }
    }
}

DecisionSearch DecisionFinder::result() const {
    DecisionSearch result = search_;
    const std::size_t first = result.decision ? result.decision->step + 1 : 0;
    result.finished = result.given_up == 0 && std::all_of(tried_.begin() + static_cast<std::ptrdiff_t>(first),
                                                          tried_.end(), [](bool tried) { return tried; });
    return result;
}

}  // namespace coopcheck
