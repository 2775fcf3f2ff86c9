#include "explorer/tree_estimate.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "explorer/random_strategy.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

/// Within four standard errors of the number of schedules there are.
void check_estimate(const FiberProgram& program, std::size_t schedules) {
    FiberExecution execution(program);
    REQUIRE(count_schedules(execution) == schedules);
    UniformStrategy strategy(9);
    SampleOptions options;
    options.budget.schedules = 3'000;
    const SampleResult result = sample(execution, strategy, options);
    CHECK(result.estimate.walks() == 3'000);
    CHECK(result.estimate.standard_error() > 0);
    CHECK(std::abs(result.estimate.mean() - static_cast<double>(schedules)) <
          4 * result.estimate.standard_error());
    CHECK(result.distinct_schedules <= schedules);
}

}  // namespace

TEST_SUITE("tree estimate") {
    TEST_CASE("the estimate is exact for a tree whose nodes at one depth all have as many branches") {
        TreeEstimate estimate;
        for (int walk = 0; walk < 5; ++walk) {
            estimate.branch(2);
            estimate.branch(1);
            estimate.branch(7);
            estimate.end_walk();
        }
        CHECK(estimate.mean() == doctest::Approx(14));
        CHECK(estimate.relative_error() == doctest::Approx(0));
    }

    TEST_CASE("mean and standard error are those of the products") {
        TreeEstimate estimate;
        for (const std::size_t product : {2U, 6U, 4U}) {
            estimate.branch(product);
            estimate.end_walk();
        }
        estimate.branch(1'000);
        estimate.drop_walk();
        CHECK(estimate.walks() == 3);
        CHECK(estimate.mean() == doctest::Approx(4));
        // The variance of 2, 4, 6 is 4; divided by 3, the root of it.
        CHECK(estimate.standard_error() == doctest::Approx(std::sqrt(4.0 / 3)));
    }

    TEST_CASE("trees larger than any double are estimated too") {
        TreeEstimate estimate;
        for (const std::size_t depth : {1'000U, 3'000U}) {
            for (std::size_t i = 0; i < depth; ++i) {
                estimate.branch(10);
            }
            estimate.end_walk();
        }
        CHECK(estimate.log10_mean() == doctest::Approx(3'000 - std::log10(2)));
        CHECK(estimate.relative_error() == doctest::Approx(1));
        CHECK(std::isinf(estimate.mean()));
    }

    TEST_CASE("the number of schedules is estimated without bias where it is known by formula") {
        // Linear extensions of the forest of births, as in the test of surw.
        check_estimate(posting_threads({"pp", "p"}), 504);
        // 9! divided by the sizes of all subtrees, 9 5 1 (main), 3 2 1 and 3 2 1.
        check_estimate(posting_threads({"p", "p"}), 362'880 / (9 * 5 * 1 * 6 * 6));
    }

    TEST_CASE(
        "the number of schedules is estimated without bias where threads block and operations have "
        "variants") {
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
        FiberExecution execution(program);
        check_estimate(program, count_schedules(execution));
    }
}

}  // namespace coopcheck::testing
