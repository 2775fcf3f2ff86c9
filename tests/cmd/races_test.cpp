// Races on the command line.
#include <doctest/doctest.h>

#include <string>

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
