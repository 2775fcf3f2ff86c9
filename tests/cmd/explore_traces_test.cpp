#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

using Words = std::vector<std::string>;

/// The trace of exploring with these options, program and arguments.
Trace explore(Words words) {
    const TemporaryFolder folder;
    words.insert(words.begin(), {"explore", "--out", folder.path().string()});
    const CapturedRun run = run_coopcheck(words);
    REQUIRE(run.end == WaitStatus(Exited{1}));
    return read_trace(folder.file("trace.json"));
}

}  // namespace

TEST_CASE("what follows the program belongs to it, also what looks like an option of ours") {
    const std::string program = target("replayed");
    for (const Words& arguments :
         {Words{}, {"--flag"}, {"--bound", "x"}, {"--help"}, {"--", "--"}, {"a", "-b", "--"}}) {
        for (const bool dashes : {false, true}) {
            Words words = dashes ? Words{"--", program} : Words{program};
            words.insert(words.end(), arguments.begin(), arguments.end());
            CHECK(explore(words).program.arguments == arguments);
        }
    }
}

TEST_CASE("an unknown option before the program, and no program, are errors") {
    CHECK(run_coopcheck({"explore", "--frobnicate", target("replayed")}).err ==
          "coopcheck: Unknown option --frobnicate; see coopcheck explore --help.\n");
    for (const Words& words : {Words{"explore"}, {"explore", "--"}, {"explore", "--bound", "1"}}) {
        const CapturedRun run = run_coopcheck(words);
        CHECK(run.end == WaitStatus(Exited{2}));
        CHECK(run.err == "coopcheck: No program given; see coopcheck explore --help.\n");
    }
}

TEST_CASE("a trace says that its preemptions are the fewest only where that is proved") {
    // Each thread has to be interrupted between its two locks, but the second one is left because it waits.
    const Trace bounded = explore({"--bound", "2", target("replayed")});
    CHECK(bounded.preemptions == 1);
    CHECK(bounded.minimal);
    CHECK(explore({target("replayed")}).minimal);  // bounds rise one by one
    const Trace unbounded = explore({"--unbounded", "--minimize-time", "0", target("replayed")});
    CHECK(unbounded.preemptions >= 1);
    CHECK(!unbounded.minimal);
    const Trace minimized = explore({"--unbounded", target("replayed")});
    CHECK(minimized.preemptions == 1);
    CHECK(minimized.minimal);
    // What shows without any preemption needs no proof.
    const Trace free = explore({std::string(COOPCHECK_CORPUS_FOLDER) + "/lost_wakeup"});
    CHECK(free.preemptions == 0);
    CHECK(free.minimal);
}

TEST_CASE("the options that decide what can happen are in the trace") {
    const Trace trace = explore({"--timeouts", "explore", "--spurious", "3", target("replayed")});
    CHECK(trace.options.explore_timeouts);
    CHECK(trace.options.spurious_wakeups == 3);
    CHECK(trace.tool == "coopcheck " COOPCHECK_VERSION);
    CHECK(trace.program.path == target("replayed"));
    CHECK(trace.program.build_id.size() == 40);
}
