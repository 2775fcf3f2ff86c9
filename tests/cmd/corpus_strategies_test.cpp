// Every strategy on failing programs of the corpus: what it finds replays, and needs no more preemptions than
// the bound at which exhaustive search first finds it.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::read_trace;
using coopcheck::Trace;
using coopcheck::TraceStep;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::corpus;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

const std::vector<std::string> failing{
    "bank", "if_instead_of_while", "lost_wakeup", "philosophers", "reorder", "splitsync"};
const std::vector<std::string> sampling{"random", "uniform", "history", "pct", "pos", "surw"};

/// The lowest bound at which exhaustive search finds something.
std::optional<unsigned> first_bound(const std::string& program, const TemporaryFolder& folder) {
    for (unsigned bound = 0; bound <= 3; ++bound) {
        const CapturedRun run = run_coopcheck({"explore", "--bound", std::to_string(bound), "--minimize-time",
                                               "0", "--out", folder.file("bound"), corpus(program)});
        if (run.end == WaitStatus(Exited{1})) return bound;
    }
    return std::nullopt;
}

std::vector<std::string> operations_of(const Trace& trace) {
    std::vector<std::string> operations;
    for (const TraceStep& step : trace.steps) {
        operations.push_back(step.thread + ' ' + describe(step.operation) + describe(step.variant));
    }
    return operations;
}

}  // namespace

TEST_CASE("what any strategy finds in the corpus replays 50 times of 50, with the fewest preemptions") {
    for (const std::string& program : failing) {
        const TemporaryFolder folder;
        const std::optional<unsigned> fewest = first_bound(program, folder);
        REQUIRE(fewest);
        std::vector<std::string> strategies = sampling;
        strategies.emplace_back("exitblock");
        strategies.emplace_back("classes");
        strategies.emplace_back("auto");
        for (const std::string& strategy : strategies) {
            CAPTURE(program);
            CAPTURE(strategy);
            const std::string out = folder.file(strategy);
            const CapturedRun run =
                run_coopcheck({"explore", "--strategy", strategy, "--out", out, corpus(program)});
            REQUIRE(run.end == WaitStatus(Exited{1}));
            const std::string path = out + "/trace.json";
            const Trace trace = read_trace(path);
            CHECK(trace.preemptions == *fewest);
            CHECK(trace.minimal);
            CHECK(run_coopcheck({"replay", "--times", "50", path}).end == WaitStatus(Exited{1}));
        }
    }
}

TEST_CASE("a seed gives the same schedule in two builds of one source") {
    for (const std::string& strategy : sampling) {
        CAPTURE(strategy);
        const TemporaryFolder folder;
        std::vector<std::vector<std::string>> found;
        for (const std::string build : {"lost_update", "lost_update_rebuilt"}) {
            const std::string out = folder.file(build);
            const CapturedRun run =
                run_coopcheck({"explore", "--strategy", strategy, "--seed", "11", "--minimize-time", "0",
                               "--out", out, target(build), "check"});
            REQUIRE(run.end == WaitStatus(Exited{1}));
            found.push_back(operations_of(read_trace(out + "/trace.json")));
        }
        CHECK(found.front().size() > 10);
        CHECK(found.front() == found.back());
    }
}
