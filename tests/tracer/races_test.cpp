// Races in real binaries: tests/targets/races.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
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

/// The programs that hold pairs, and how many at least: a list that cannot be read must not pass for a short
/// one.
struct PairProgram {
    const char* name;
    std::size_t least;
};
constexpr std::array pair_programs{
    PairProgram{"c_races", 35},    PairProgram{"cpp_races", 13}, PairProgram{"hand_made", 11},
    PairProgram{"primitives", 12}, PairProgram{"memory", 16},    PairProgram{"containers", 18},
    PairProgram{"ordering", 10},
};

/// The names of the pairs, from the program itself.
std::vector<std::string> pairs_of(const std::string& program) {
    std::istringstream words(run_natively("'" + target("races/" + program) + "' list").standard_output);
    return {std::istream_iterator<std::string>(words), {}};
}

bool has_confirmed(const std::vector<Finding>& races) {
    return std::any_of(races.begin(), races.end(), [](const Finding& race) { return race.confirmed; });
}

enum class Until : std::uint8_t { FirstRace, End };

/// What a search within one preemption finds, every schedule of it watched.
std::vector<Finding> races_of(const std::string& program, const std::vector<std::string>& arguments,
                              Until until = Until::End) {
    TracedExecution execution({.program = target("races/" + program), .arguments = arguments, .input = ""},
                              {});
    RaceWatch watch(execution, {.races = RaceSampling::Every});
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = 1;
    options.spin_patience = 4;
    options.budget.schedules = 20;
    options.budget.interruption = [&]() -> std::optional<std::string> {
        if (until == Until::FirstRace && has_confirmed(watch.races())) return "found";
        return std::nullopt;
    };
    options.visible = watch.look_first();
    static_cast<void>(explore(execution, options, &watch));
    return watch.races();
}

void check_pairs(const std::string& program) {
    for (const std::string& name : pairs_of(program)) {
        CAPTURE(name);
        CHECK(has_confirmed(races_of(program, {name, "racy"}, Until::FirstRace)));
        CHECK_FALSE(has_confirmed(races_of(program, {name, "fixed"})));
    }
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
    TEST_CASE("there are many pairs of a racy program and a fixed one") {
        for (const PairProgram& program : pair_programs) {
            CAPTURE(program.name);
            CHECK(pairs_of(program.name).size() >= program.least);
        }
    }

    TEST_CASE("races are found in C programs, and none in the fixed ones") { check_pairs("c_races"); }
    TEST_CASE("races are found in C++ programs, and none in the fixed ones") { check_pairs("cpp_races"); }
    TEST_CASE("races are found where synchronization is made by hand, and none where it is made well") {
        check_pairs("hand_made");
    }
    TEST_CASE("races are found where primitives are used wrongly, and none in the fixed programs") {
        check_pairs("primitives");
    }
    TEST_CASE("races are found in all sorts of memory, and none in the fixed programs") {
        check_pairs("memory");
    }
    TEST_CASE("races on objects of the standard library are found, and none in the fixed programs") {
        check_pairs("containers");
    }
    TEST_CASE(
        "races are found where what C++ has to order accesses is used wrongly, and none in the fixed "
        "programs") {
        check_pairs("ordering");
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
    }

    TEST_CASE("structures without locks: what is wrong with the broken ones takes so many preemptions") {
        struct Broken {
            const char* program;
            const char* structure;
            unsigned preemptions;
        };
        // treiber: one thread between its look at the head and its exchange. michael_scott: between the
        // exchange and its look at the item. chase_lev: the thief when it has looked at the bottom, and the
        // owner when it has looked at the top.
        for (const Broken& row :
             {Broken{"lock_free", "treiber", 1}, Broken{"lock_free_queues", "michael_scott", 1},
              Broken{"lock_free_queues", "chase_lev", 2}}) {
            CAPTURE(row.structure);
            const SearchResult broken = search(row.program, {row.structure, "broken"}, 3);
            REQUIRE(broken.findings.size() == 1);
            CHECK(broken.findings.front().kind == FindingKind::Assertion);
            CHECK(broken.findings.front().preemptions == row.preemptions);
        }
    }

    TEST_CASE("structures without locks: the correct ones are proved within three preemptions") {
        for (const auto& [program, structure] : {std::pair{"lock_free", "ticket"},
                                                 {"lock_free", "treiber"},
                                                 {"lock_free_queues", "michael_scott"},
                                                 {"lock_free_queues", "chase_lev"}}) {
            const std::string name = structure;  // clang does not capture what a declaration takes apart
            CAPTURE(name);
            const SearchResult correct = search(program, {structure, "correct"}, 3);
            CHECK(correct.findings.empty());
            CHECK(correct.exhausted);
            CHECK(correct.gaps.empty());
        }
    }
}
