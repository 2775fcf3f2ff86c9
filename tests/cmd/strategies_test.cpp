#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::read_trace;
using coopcheck::Trace;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

const std::vector<std::string> sampling{"random", "uniform", "history", "pct", "pos", "surw", "auto"};

CapturedRun explore(const std::string& strategy, const std::string& out,
                    const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"explore", "--strategy", strategy, "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_coopcheck(arguments);
}

}  // namespace

TEST_CASE("every strategy finds a lost update, and its trace is minimized and replays") {
    for (const std::string& strategy : sampling) {
        CAPTURE(strategy);
        const TemporaryFolder folder;
        const CapturedRun run = explore(strategy, folder.file("out"), {target("lost_update"), "check"});
        CHECK(run.end == WaitStatus(Exited{1}));
        CHECK(run.out.starts_with("bad exit in T0: exit code 3, 1 preemption"));
        const std::string path = folder.file("out/trace.json");
        const Trace trace = read_trace(path);
        CHECK(trace.preemptions == 1);
        CHECK(trace.minimal);
        CHECK(run_coopcheck({"replay", "--times", "5", path}).end == WaitStatus(Exited{1}));
    }
}

TEST_CASE("sampling says its seed and is never complete; the same seed gives the same schedules") {
    for (const std::string& strategy : sampling) {
        if (strategy == "auto") continue;
        CAPTURE(strategy);
        const TemporaryFolder folder;
        const std::vector<std::string> more{"--schedules", "20", "--seed", "7", target("lost_update")};
        const CapturedRun first = explore(strategy, folder.file("out"), more);
        CHECK(first.end == WaitStatus(Exited{3}));
        CHECK(first.out.find("(seed 7)") != std::string::npos);
        CHECK(explore(strategy, folder.file("out"), more).out == first.out);
    }
}

TEST_CASE("the history of decisions continues from its file, and a damaged one is refused") {
    const TemporaryFolder folder;
    const std::string file = folder.file("history");
    const std::vector<std::string> more{"--schedules", "3", "--history", file, target("lost_update")};
    const std::string first = explore("history", folder.file("out"), more).out;
    CHECK(std::filesystem::exists(file));
    CHECK(!std::filesystem::exists(file + ".new"));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    const CapturedRun damaged = explore("history", folder.file("out"), more);
    CHECK(damaged.end == WaitStatus(Exited{2}));
    CHECK(damaged.err.starts_with("coopcheck: "));
}

TEST_CASE("minimize makes the schedule of a trace simpler and proves it") {
    const TemporaryFolder folder;
    const CapturedRun run = explore("uniform", folder.file("out"),
                                    {"--minimize-time", "0", "--seed", "3", target("lost_update"), "check"});
    REQUIRE(run.end == WaitStatus(Exited{1}));
    const std::string path = folder.file("out/trace.json");
    const CapturedRun minimized = run_coopcheck({"minimize", path});
    CHECK(minimized.end == WaitStatus(Exited{1}));
    CHECK(minimized.out.find("the number of preemptions is proved minimal") != std::string::npos);
    CHECK(minimized.out.find("decided at step ") != std::string::npos);
    const Trace trace = read_trace(folder.file("out/trace.min.json"));
    CHECK(trace.preemptions == 1);
    CHECK(trace.minimal);
    CHECK(trace.steps.size() <= read_trace(path).steps.size());
}
