// Races in real binaries: tests/targets/races.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/race.hpp"
#include "explorer/explore.hpp"
#include "explorer/race_watch.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

struct Pair {
    const char* program;
    const char* name;
};

constexpr std::array in_c{
    "counter",        "flag",         "publication",  "double_checked", "lazy",        "references",
    "bit_fields",     "array_halves", "wrong_lock",   "read_lock",      "read_mostly", "struct_copy",
    "after_unlock",   "before_lock",  "create_order", "join_order",     "heap",        "freed",
    "reused",         "semaphore",    "barrier",      "condition",      "once",        "spin_lock",
    "atomic_counter", "peterson",     "ticket",       "same_value",     "neighbours",  "overlap",
    "text",           "thread_local", "pipe",         "trylock",        "escaped",
};

constexpr std::array in_cpp{
    "vector",          "map",
    "deque",           "string",
    "shared_pointer",  "static_local",
    "release_acquire", "call_once",
    "shared_mutex",    "condition_variable",
    "atomic_counter",  "argument",
    "atomic_flag",
};

/// What a search within one preemption finds, every schedule of it watched.
std::vector<Finding> races_of(const std::string& program, const std::vector<std::string>& arguments) {
    TracedExecution execution({.program = target("races/" + program), .arguments = arguments, .input = ""},
                              {});
    RaceWatch watch(execution, {.races = RaceSampling::Every});
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = 1;
    options.spin_patience = 4;
    options.budget.schedules = 20;
    options.visible = watch.look_first();
    static_cast<void>(explore(execution, options, &watch));
    return watch.races();
}

bool has_confirmed(const std::vector<Finding>& races) {
    return std::any_of(races.begin(), races.end(), [](const Finding& race) { return race.confirmed; });
}

void check_pair(const std::string& program, const std::string& name) {
    CAPTURE(name);
    CHECK(has_confirmed(races_of(program, {name, "racy"})));
    CHECK_FALSE(has_confirmed(races_of(program, {name, "fixed"})));
}

SearchResult search(const std::string& program, const std::vector<std::string>& arguments, unsigned bound,
                    std::size_t max_findings = 1) {
    TracedExecution execution({.program = target("races/" + program), .arguments = arguments, .input = ""},
                              {});
    RaceWatch watch(execution, {});
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = bound;
    options.spin_patience = 4;
    options.max_findings = max_findings;
    options.visible = watch.look_first();
    return explore(execution, options, &watch);
}

}  // namespace

TEST_SUITE("races") {
    TEST_CASE("races are found in C programs, and none in the fixed ones") {
        for (const char* name : in_c) {
            SUBCASE(name) { check_pair("c_races", name); }
        }
    }

    TEST_CASE("races are found in C++ programs, and none in the fixed ones") {
        for (const char* name : in_cpp) {
            SUBCASE(name) { check_pair("cpp_races", name); }
        }
    }

    TEST_CASE("a lost update without locks is found with one preemption between the read and the write") {
        const SearchResult result = search("split_sync", {}, 2);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().kind == FindingKind::Assertion);
        CHECK(result.findings.front().preemptions == 1);
        // The four bytes of x.
        CHECK(result.visible.size() == 4);
    }

    TEST_CASE("a race says who accessed what, where and with which locks") {
        const std::vector<Finding> races = races_of("c_races", {"wrong_lock", "racy"});
        // x++ in two threads: the write of each with the read and the write of the other, if the compiler
        // made two instructions of it.
        REQUIRE((races.size() == 1 || races.size() == 3));
        for (const Finding& finding : races) {
            const Race& race = *finding.race;
            CHECK(race.first.thread != race.second.thread);
            CHECK(race.first.access.size == 4);
            CHECK(race.second.access.size == 4);
            CHECK((race.first.access.write || race.second.access.write));
            CHECK(race.first.locks.size() == 1);
            CHECK(race.second.locks.size() == 1);
            CHECK(race.first.locks != race.second.locks);
            REQUIRE(race.first.access.stack);
            CHECK(race.first.access.stack->size() > 1);
        }
    }

    TEST_CASE("a ticket lock that takes its number in two steps serves nobody, or two at once") {
        // One preemption between the two steps gives both the same number: who comes second waits for ever.
        // To meet the other one inside it has to come before that one leaves, which takes another preemption.
        const SearchResult broken = search("lock_free", {"ticket", "broken"}, 2, 100);
        const auto of_kind = [&](FindingKind kind) {
            return std::find_if(broken.findings.begin(), broken.findings.end(),
                                [&](const Finding& finding) { return finding.kind == kind; });
        };
        const auto livelock = of_kind(FindingKind::Livelock);
        const auto assertion = of_kind(FindingKind::Assertion);
        REQUIRE(livelock != broken.findings.end());
        REQUIRE(assertion != broken.findings.end());
        CHECK(livelock->preemptions == 1);
        CHECK(assertion->preemptions == 2);
        const SearchResult good = search("lock_free", {"ticket", "correct"}, 1);
        CHECK(good.findings.empty());
    }

    TEST_CASE("a stack without locks that compares its head alone loses and repeats nodes") {
        const SearchResult broken = search("lock_free", {"treiber", "broken"}, 2);
        REQUIRE(broken.findings.size() == 1);
        CHECK(broken.findings.front().kind == FindingKind::Assertion);
        const SearchResult good = search("lock_free", {"treiber", "correct"}, 1);
        CHECK(good.findings.empty());
    }
}
