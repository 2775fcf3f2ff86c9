// Partial-order reduction of processes: numbers of classes that can be counted.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

CapturedRun explore(const std::string& strategy, const std::vector<std::string>& program) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments{"explore", "--strategy", strategy, "--out", folder.file("out")};
    arguments.insert(arguments.end(), program.begin(), program.end());
    return run_coopcheck(arguments);
}

std::string complete(int schedules) { return "(" + std::to_string(schedules) + " run, 0 pruned)"; }

const std::string corpus = COOPCHECK_CORPUS_FOLDER;

}  // namespace

TEST_CASE("processes whose threads share one lock run one schedule for each order of their sections") {
    struct Case {
        std::string threads;
        std::string rounds;
        int classes;  // (kn)!/(n!)^k
    };
    for (const Case& one : {Case{"2", "1", 2}, Case{"2", "3", 20}, Case{"3", "1", 6}, Case{"3", "2", 90}}) {
        const CapturedRun run = explore("optimal", {target("lock_rounds"), one.threads, one.rounds});
        CAPTURE(run.out);
        CHECK(run.end == WaitStatus(Exited{0}));
        CHECK(run.out.find(complete(one.classes)) != std::string::npos);
    }
}

TEST_CASE("a process whose threads do not meet runs once") {
    for (const std::string& strategy : std::vector<std::string>{"source", "optimal"}) {
        const CapturedRun run = explore(strategy, {target("lock_rounds"), "4", "5", "own"});
        CAPTURE(run.out);
        CHECK(run.end == WaitStatus(Exited{0}));
        CHECK(run.out.find(complete(1)) != std::string::npos);
    }
}

TEST_CASE("philosophers who take their forks in order run 2^N - 2 times as a process") {
    for (const int count : {3, 4, 5}) {
        const CapturedRun run = explore("optimal", {corpus + "/philosophers_fixed", std::to_string(count)});
        CAPTURE(run.out);
        CHECK(run.end == WaitStatus(Exited{0}));
        CHECK(run.out.find(complete((1 << count) - 2)) != std::string::npos);
    }
}

TEST_CASE("source and optimal find what is wrong with a process") {
    for (const std::string& strategy : std::vector<std::string>{"source", "optimal"}) {
        CAPTURE(strategy);
        CHECK(explore(strategy, {corpus + "/philosophers"}).end == WaitStatus(Exited{1}));
        CHECK(explore(strategy, {corpus + "/lost_wakeup"}).end == WaitStatus(Exited{1}));
        CHECK(explore(strategy, {corpus + "/lost_wakeup_fixed"}).end == WaitStatus(Exited{0}));
        CHECK(explore(strategy, {target("lost_update"), "check"}).end == WaitStatus(Exited{1}));
    }
}
