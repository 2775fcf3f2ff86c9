// The numbers of schedules that the ExitBlock paper derives.
#include <doctest/doctest.h>

#include <string>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

/// k threads with n synchronized regions each, that all exist when the search begins.
FiberProgram regions(int threads, int regions_each, bool one_lock) {
    return {[=](Api& api) {
        api.trusted([&] {
            for (int thread = 0; thread < threads; ++thread) {
                const std::string name = one_lock ? "m" : "m" + std::to_string(thread);
                api.create([&api, name, regions_each] {
                    const Mutex mutex = api.mutex(name);
                    for (int region = 0; region < regions_each; ++region) {
                        api.lock(mutex);
                        api.unlock(mutex);
                    }
                });
            }
        });
    }};
}

std::size_t binomial(int n, int k) {
    std::size_t ways = 1;
    for (int i = 1; i <= k; ++i) {
        ways = ways * static_cast<std::size_t>(n - k + i) / static_cast<std::size_t>(i);
    }
    return ways;
}

/// Formula (1) of the paper.
std::size_t formula_1(int k, int n) {
    std::size_t product = 1;
    for (int left = k; left >= 1; --left) {
        product *= binomial(left * n, n);
    }
    return product;
}

std::size_t power(std::size_t base, int exponent) {
    std::size_t result = 1;
    for (int i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}

}  // namespace

TEST_SUITE("counts") {
    TEST_CASE("ExitBlock runs exactly as many schedules as formula (1) says") {
        for (int k = 1; k <= 4; ++k) {
            for (int n = 1; k * n <= 10; ++n) {
                for (const bool one_lock : {true, false}) {
                    CAPTURE(k);
                    CAPTURE(n);
                    FiberExecution execution(regions(k, n, one_lock));
                    SearchOptions options;
                    options.pruning = Pruning::None;
                    const SearchResult result = explore(execution, options);
                    CHECK(result.counts.complete == formula_1(k, n));
                    CHECK(result.counts.paths() == formula_1(k, n));
                    CHECK(result.gaps.empty());
                }
            }
        }
    }

    TEST_CASE("ExitBlock-RW runs (n+1)^(k-1) schedules for threads that do not interact") {
        for (int k = 1; k <= 4; ++k) {
            for (int n = 1; k * n <= 10; ++n) {
                CAPTURE(k);
                CAPTURE(n);
                SearchOptions options;
                // By their data, threads that share a lock do not interact; by their locks, those that do
                // not.
                options.footprints = FootprintSource::Data;
                FiberExecution sharing(regions(k, n, true));
                CHECK(explore(sharing, options).counts.paths() ==
                      power(static_cast<std::size_t>(n) + 1, k - 1));
                options.footprints = FootprintSource::Locks;
                FiberExecution apart(regions(k, n, false));
                CHECK(explore(apart, options).counts.paths() ==
                      power(static_cast<std::size_t>(n) + 1, k - 1));
            }
        }
    }

    TEST_CASE(
        "ExitBlock-RW runs all the schedules of formula (1) when every block conflicts with every other") {
        for (int k = 1; k <= 4; ++k) {
            for (int n = 1; k * n <= 8; ++n) {
                FiberExecution execution(regions(k, n, true));
                CHECK(explore(execution, {}).counts.complete == formula_1(k, n));
            }
        }
    }
}

}  // namespace coopcheck::testing
