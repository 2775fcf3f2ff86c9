// Races on the command line.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using namespace coopcheck::testing;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("explore finds an update that is lost without locks, says why, and replays it") {
    const TemporaryFolder folder;
    const std::string program = tracer::test::target("races/split_sync");
    const CapturedRun run = run_coopcheck(
        {"explore", "--races", "sample", "--bound", "2", "--out", folder.path().string(), program});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{1}));
    CHECK(contains(run.out, "race on x\n"));
    CHECK(contains(run.out, "T0.1 writes 4 bytes (0x0 -> 0x1) at add split_sync.c:10, with no lock"));
    CHECK(contains(run.out, "Assertion `x == 2' failed."));
    const CapturedRun again = run_coopcheck({"replay", (folder.path() / "trace.json").string()});
    CHECK(contains(again.out, "reproduced: assertion in T0"));
}

TEST_CASE("without watching explore does not see it, and says that it has not checked") {
    const CapturedRun run =
        run_coopcheck({"explore", "--races", "off", tracer::test::target("races/split_sync")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{0}));
    CHECK(contains(run.out, "shared data is accessed under locks (not checked)"));
}

TEST_CASE("the claim says in how many schedules the accesses were checked") {
    const CapturedRun run = run_coopcheck(
        {"explore", "--races", "every", tracer::test::target("races/c_races"), "counter", "fixed"});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{0}));
    CHECK(contains(run.out, "shared data is accessed under locks (checked in every schedule: yes)"));
}

TEST_CASE("schedules are watched unless it is said otherwise, and a program with locks comes out complete") {
    const CapturedRun run = run_coopcheck({"explore", "--bound", "2", corpus("philosophers_fixed")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{0}));
    CHECK(contains(run.out, "complete"));
    // Two of each number of preemptions at least.
    CHECK(contains(run.out, "shared data is accessed under locks (checked in "));
    CHECK(contains(run.out, " schedules: yes)"));
}

TEST_CASE("what was learnt in a look at other places is visible to the search that begins again") {
    // The race shows only in schedules that are far from the first ones; the additions get lost only if
    // accesses to x are operations, of the search and of the next look.
    const TemporaryFolder folder;
    const CapturedRun run = run_coopcheck({"explore", "--schedules", "2000", "--out", folder.path().string(),
                                           tracer::test::target("races/late_race")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{1}));
    CHECK(contains(run.out, "race on x\n"));
    CHECK(contains(run.out, "Assertion `x == additions' failed."));
}

TEST_CASE("a search that watches is gone on with, and says in the end what one without interruption says") {
    const TemporaryFolder folder;
    const std::string file = folder.file("search");
    const std::vector<std::string> program{tracer::test::target("races/lock_free"), "ticket", "correct"};
    const auto explore = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"explore", "--bound", "1"});
        words.insert(words.end(), program.begin(), program.end());
        return run_coopcheck(words);
    };
    const CapturedRun whole = explore({});
    REQUIRE(whole.end == tracer::WaitStatus(tracer::Exited{0}));
    std::size_t parts = 1;
    for (;; ++parts) {
        const CapturedRun part = explore({"--resume", file, "--schedules", "7"});
        if (part.end == tracer::WaitStatus(tracer::Exited{0})) {
            // What was covered is not kept.
            CHECK(part.out.substr(0, part.out.find("coverage:")) ==
                  whole.out.substr(0, whole.out.find("coverage:")));
            break;
        }
        REQUIRE(part.end == tracer::WaitStatus(tracer::Exited{3}));
        REQUIRE(parts < 100);
    }
    CHECK(parts > 2);
}

TEST_CASE("a program that cannot be watched is explored all the same, and the claim says why it was not") {
    const CapturedRun run =
        run_coopcheck({"explore", "--schedules", "1", tracer::test::target("use_after_free")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{3}));
    CHECK(contains(run.out, "built with a sanitizer cannot be watched"));
}
