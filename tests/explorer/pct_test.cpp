#include <doctest/doctest.h>

#include <cmath>

#include "core/error.hpp"
#include "explorer/pct_strategy.hpp"
#include "tests/explorer/failing_programs.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {

TEST_SUITE("sampling") {
    TEST_CASE("pct finds bugs of its depth at least as often as its bound says") {
        for (unsigned depth = 1; depth <= 3; ++depth) {
            CAPTURE(depth);
            PctOptions options;
            options.seed = depth;
            options.depth = depth;
            PctStrategy strategy(options);
            FiberExecution execution(bug_of_depth(depth));
            Orders orders;
            SampleOptions sampling;
            sampling.budget.schedules = 5'000;
            static_cast<void>(sample(execution, strategy, sampling, &orders));
            // main: create, create, exit; the threads: start, two operations, exit (or failure).
            CHECK(strategy.threads() == 3);
            CHECK(strategy.steps() == 11);
            const double p = strategy.bound_per_run();
            CHECK(p == doctest::Approx(1 / (3 * std::pow(11, depth - 1))));
            // With the probability p, fewer than this come with probability 0.001 (normal approximation of
            // the binomial distribution, 5000 p being at least 13).
            const double least = 5'000 * p - 3.09 * std::sqrt(5'000 * p * (1 - p));
            CHECK(static_cast<double>(orders.failed) >= least);
        }
    }

    TEST_CASE("pct of depth 1 never interrupts a thread that can go on") {
        PctOptions options;
        options.depth = 1;
        PctStrategy strategy(options);
        FiberExecution execution(bug_of_depth(3));
        Orders orders;
        SampleOptions sampling;
        sampling.budget.schedules = 500;
        const SampleResult result = sample(execution, strategy, sampling, &orders);
        CHECK(orders.failed == 0);
        CHECK(strategy.bound_per_run() == doctest::Approx(1.0 / 3));
        // What is left are orders of three priorities, seen from main: it creates the first thread and goes
        // on or not ...
        CHECK(result.distinct_classes <= 6);
    }

    TEST_CASE("the bound of all runs is 1-(1-p)^runs, and runs before the longest do not count") {
        PctOptions options;
        options.depth = 2;
        PctStrategy strategy(options);
        CHECK(strategy.bound() == 0);
        CHECK(strategy.guarantee().empty());
        FiberExecution execution(posting_threads({"x", "x"}));  // 9 steps whatever the schedule
        SampleOptions sampling;
        sampling.budget.schedules = 101;
        const SampleResult result = sample(execution, strategy, sampling);
        CHECK(strategy.counted_runs() == 100);
        CHECK(strategy.bound_per_run() == doctest::Approx(1.0 / 27));
        CHECK(strategy.bound() == doctest::Approx(1 - std::pow(1 - 1.0 / 27, 100)));
        CHECK(result.guarantee == strategy.guarantee());
        CHECK(result.claim().find(result.guarantee) != std::string::npos);
    }

    TEST_CASE("pct needs a depth") {
        PctOptions options;
        options.depth = 0;
        CHECK_THROWS_AS(PctStrategy{options}, Error);
    }
}

}  // namespace coopcheck::testing
