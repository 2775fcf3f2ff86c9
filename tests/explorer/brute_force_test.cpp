// Every search against brute force, on random programs from fixed seeds. scripts/nightly runs any number of
// them.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tests/explorer/comparison.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/generator.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::size_t many_programs = amount(120);
constexpr std::size_t few_programs = amount(30);
constexpr std::size_t full_programs = amount(4);

/// The families that have a test case below.
std::set<std::string>& tested() {
    static std::set<std::string> names;
    return names;
}

void compare(const std::string& family) {
    // Programs that poll have by far the most schedules.
    const std::size_t small_programs = family == "polling" ? few_programs : many_programs;
    const ComparisonTotals small = compare_family(family, ProgramSize::Small, 1, small_programs);
    CHECK_MESSAGE(small.first_mismatch.empty(), small.first_mismatch);
    const ComparisonTotals full = compare_family(family, ProgramSize::Full, 1, full_programs);
    CHECK_MESSAGE(full.first_mismatch.empty(), full.first_mismatch);
    // A comparison of nothing would prove nothing.
    CHECK(small.programs >= small_programs);
    CHECK(small.too_large * 10 <= small.programs);
    CHECK(small.searches_cut * 4 <= small.searches);
}

}  // namespace

#define COOPCHECK_COMPARE(family)                                                                     \
    TEST_CASE("all searches agree with brute force on random programs: " family) { compare(family); } \
    const bool DOCTEST_ANONYMOUS(is_tested) = tested().insert(family).second

TEST_SUITE("brute force") {
    COOPCHECK_COMPARE("locks");
    COOPCHECK_COMPARE("nested locks");
    COOPCHECK_COMPARE("one lock");
    COOPCHECK_COMPARE("hand over hand");
    COOPCHECK_COMPARE("mutex kinds");
    COOPCHECK_COMPARE("robust");
    COOPCHECK_COMPARE("trylock");
    COOPCHECK_COMPARE("timedlock");
    COOPCHECK_COMPARE("conditions");
    COOPCHECK_COMPARE("lost signals");
    COOPCHECK_COMPARE("timed conditions");
    COOPCHECK_COMPARE("rwlocks");
    COOPCHECK_COMPARE("spins");
    COOPCHECK_COMPARE("semaphores");
    COOPCHECK_COMPARE("barriers");
    COOPCHECK_COMPARE("once");
    COOPCHECK_COMPARE("threads");
    COOPCHECK_COMPARE("cancel");
    COOPCHECK_COMPARE("racy");
    COOPCHECK_COMPARE("choose");
    COOPCHECK_COMPARE("polling");
    COOPCHECK_COMPARE("exit");
    COOPCHECK_COMPARE("misuse");
    COOPCHECK_COMPARE("futex");
    COOPCHECK_COMPARE("trusted");
    COOPCHECK_COMPARE("everything");

    TEST_CASE("every family of random programs is compared") {
        std::set<std::string> all;
        for (const Shape& shape : families()) {
            all.insert(shape.name);
        }
        CHECK(all == tested());
    }
}

}  // namespace coopcheck::testing
