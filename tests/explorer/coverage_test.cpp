#include "explorer/coverage.hpp"

#include <doctest/doctest.h>

#include "explorer/explore.hpp"
#include "explorer/random_strategy.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

/// T0.1 makes two operations in f and one in h, T0.2 one in g; what a thread does last, its exit, is in no
/// function.
FiberProgram three_functions() {
    return {[](Api& api) {
        const auto post_at = [&api](std::uint64_t site) {
            api.at(site);
            api.sem_post(api.semaphore("s"));
        };
        api.create([&api, post_at] {
            post_at(1);
            post_at(1);
            post_at(3);
            api.at(0);
        });
        api.create([&api, post_at] {
            post_at(2);
            api.at(0);
        });
    }};
}

std::string function_of(std::uint64_t site) { return site == 0 ? "" : std::string(1, "?fgh"[site]); }

using Lines = std::vector<std::string>;

Lines covered_by(const std::vector<std::string>& order) {
    FiberExecution execution(three_functions());
    Coverage coverage(function_of);
    Scripted strategy(order);
    SampleOptions options;
    options.budget.schedules = 1;
    static_cast<void>(sample(execution, strategy, options, &coverage));
    return coverage.covered();
}

}  // namespace

TEST_SUITE("sampling") {
    TEST_CASE(
        "a function is interrupted if others run while its thread is in it, by the functions they run") {
        // Without switches: T0.1 is parked in no function (before its start) when it is left.
        CHECK(covered_by({"T0", "T0", "T0", "T0.1", "T0.1", "T0.1", "T0.1", "T0.1", "T0.2", "T0.2",
                          "T0.2"}) == Lines{"f not interrupted", "g not interrupted", "h not interrupted"});
        // g runs between the two operations of f.
        CHECK(covered_by({"T0", "T0", "T0", "T0.2", "T0.1", "T0.1", "T0.2", "T0.1", "T0.1", "T0.1",
                          "T0.2"}) == Lines{"f interrupted", "g interrupted", "h not interrupted",
                                            "f interrupted by g", "g interrupted by f"});
        // T0.2 starts, in no function, while T0.1 is in h.
        CHECK(
            covered_by({"T0", "T0", "T0", "T0.1", "T0.1", "T0.1", "T0.2", "T0.1", "T0.2", "T0.2", "T0.1"}) ==
            Lines{"f not interrupted", "g interrupted", "h interrupted", "g interrupted by h"});
    }

    TEST_CASE(
        "covered and uncovered tasks together are all tasks, and enough schedules cover what is possible") {
        FiberExecution execution(three_functions());
        Coverage coverage(function_of);
        UniformStrategy strategy(1);
        SampleOptions options;
        options.budget.schedules = 300;
        Orders orders;
        Coverage decorated(function_of, &orders);
        static_cast<void>(sample(execution, strategy, options, &decorated));
        CHECK(orders.schedules.size() == 300);
        // f and h are of one thread and cannot interrupt each other, nor anything itself.
        CHECK(decorated.uncovered() == Lines{"f interrupted by f", "f interrupted by h", "g interrupted by g",
                                             "h interrupted by f", "h interrupted by h"});
        CHECK(decorated.covered().size() + decorated.uncovered().size() == 3 * 2 + 3 * 3);
        decorated.expect("never");
        CHECK(decorated.uncovered().size() == 5 + 2 + 7);
    }

    TEST_CASE("coverage is collected from an exhaustive search as well") {
        FiberExecution execution(three_functions());
        Coverage coverage(function_of);
        SearchOptions options;
        options.granularity = Granularity::Operations;
        options.pruning = Pruning::None;
        static_cast<void>(explore(execution, options, &coverage));
        // No other thread can tell when a thread starts, so the search does not switch between that and the
        // first operation: here, the one in g.
        CHECK(coverage.uncovered() == Lines{"g interrupted", "f interrupted by f", "f interrupted by h",
                                            "g interrupted by f", "g interrupted by g", "g interrupted by h",
                                            "h interrupted by f", "h interrupted by h"});
    }
}

}  // namespace coopcheck::testing
