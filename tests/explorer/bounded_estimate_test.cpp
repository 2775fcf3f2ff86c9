#include "explorer/bounded_estimate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/switch.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

/// All schedules from where the execution stands that have at most so many preemptions, counted one by one.
std::size_t count_within(Execution& execution, const Turns& turns, unsigned left) {
    if (execution.parked().empty()) {
        return 1;
    }
    const PlacePtr here = execution.here();
    const std::vector<ParkedThread> parked(execution.parked().begin(), execution.parked().end());
    std::vector<std::pair<Choice, unsigned>> ways;
    for (const ParkedThread& entry : parked) {
        const bool preempts = turns.switch_to(execution, entry.thread) == SwitchKind::Preemption;
        if (preempts && left == 0) {
            continue;
        }
        for (const Variant variant : execution.model().options(entry.thread, entry.operation)) {
            ways.push_back({{entry.thread, variant}, left - (preempts ? 1 : 0)});
        }
    }
    std::size_t count = ways.empty() ? 1 : 0;  // a deadlock is an end
    for (const auto& [choice, left_then] : ways) {
        execution.revisit(here);
        const StepResult made = execution.step(choice.thread, choice.variant);
        Turns then = turns;
        then.made_step(choice.thread, made.operation.kind);
        count += made.end ? 1 : count_within(execution, then, left_then);
    }
    return count;
}

}  // namespace

TEST_CASE("the number of schedules within a bound is estimated without bias") {
    const FiberProgram program{[](Api& api) {
        const Mutex m = api.mutex("m");
        for (int i = 0; i < 2; ++i) {
            api.create([&api, m] {
                api.lock(m);
                api.choose(2);
                api.unlock(m);
            });
        }
    }};
    std::size_t before = 0;
    for (const unsigned bound : {0U, 1U, 2U, 20U}) {
        CAPTURE(bound);
        FiberExecution execution(program);
        execution.restart();
        const std::size_t schedules = count_within(execution, {}, bound);
        CHECK(schedules >= before);
        before = schedules;
        const TreeEstimate estimate = estimate_within_bound(execution, {.bound = bound, .walks = 2'000});
        CHECK(estimate.walks() == 2'000);
        // Within four standard errors; where all walks have the same product there is no error.
        CHECK(std::abs(estimate.mean() - static_cast<double>(schedules)) <=
              4 * estimate.standard_error() + 1e-6 * static_cast<double>(schedules));
    }
    FiberExecution execution(program);
    CHECK(before == count_schedules(execution));
}

TEST_CASE("an estimate is not longer than it may be") {
    const FiberProgram program{[](Api& api) {
        for (;;) {
            api.yield();
        }
    }};
    FiberExecution execution(program);
    CHECK(estimate_within_bound(execution, {.bound = 1, .walks = 3, .most_steps = 100}).walks() == 0);
    CHECK(estimate_within_bound(execution, {.walks = 3, .should_stop = [] { return true; }}).walks() == 0);
}

}  // namespace coopcheck::testing
