#include <doctest/doctest.h>

#include <string>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"

using coopcheck::read_trace;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::corpus;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;

TEST_CASE("native runs are counted, and prove nothing") {
    const CapturedRun run =
        run_coopcheck({"explore", "--strategy", "none", "--schedules", "5", corpus("bank_fixed")});
    CHECK(run.end == WaitStatus(Exited{3}));
    CHECK(run.out.starts_with("5 native runs (as many runs as wanted were made): 5 exit code 0.\n"));
}

TEST_CASE("a native run that ends as it should not is found, and judged as the user says") {
    const CapturedRun failed =
        run_coopcheck({"explore", "--strategy", "none", "--schedules", "5", "--", "/bin/sh", "-c", "exit 3"});
    CHECK(failed.end == WaitStatus(Exited{1}));
    CHECK(failed.out.find("there is no schedule to replay it with.") != std::string::npos);
    const CapturedRun expected = run_coopcheck({"explore", "--strategy", "none", "--schedules", "5",
                                                "--expect-exit", "3", "--", "/bin/sh", "-c", "exit 3"});
    CHECK(expected.end == WaitStatus(Exited{3}));
}

TEST_CASE("a deadlock met with any noise is replayed under control and minimized") {
    for (const std::string noise : {"sleep", "yield", "priority"}) {
        CAPTURE(noise);
        const TemporaryFolder folder;
        // One of the two threads is stopped at every operation it makes, so that the other one overtakes it
        // sooner or later; with priorities alone nothing is promised.
        const CapturedRun run = run_coopcheck(
            {"explore", "--strategy", "noise", "--noise", noise, "--noise-probability", "0.5", "--schedules",
             noise == "priority" ? "20" : "2000", "--out", folder.file("out"), corpus("bank")});
        if (noise == "priority" && run.end == WaitStatus(Exited{3})) continue;
        REQUIRE(run.end == WaitStatus(Exited{1}));
        CHECK(run.out.starts_with("deadlock (cycle), 1 preemption"));
        CHECK(run.out.find("reproduced under control.") != std::string::npos);
        const std::string path = folder.file("out/trace.json");
        CHECK(read_trace(path).minimal);
        CHECK(run_coopcheck({"replay", "--times", "50", path}).end == WaitStatus(Exited{1}));
    }
}

TEST_CASE("noise is directed by either model of coverage, and what is covered is told") {
    for (const std::string model : {"none", "functions", "pairs"}) {
        CAPTURE(model);
        const CapturedRun run = run_coopcheck({"explore", "--strategy", "noise", "--noise-model", model,
                                               "--schedules", "5", "--coverage", corpus("bank_fixed")});
        CHECK(run.end == WaitStatus(Exited{3}));
        CHECK(run.out.starts_with("5 runs with noise (as many runs as wanted were made): 5 exit code 0.\n"));
        CHECK(run.out.find("  not covered: ") != std::string::npos);
    }
}
