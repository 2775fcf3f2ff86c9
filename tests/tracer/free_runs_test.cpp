#include "tracer/free_runs.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "explorer/free_search.hpp"
#include "tests/support/processes.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/child_process.hpp"
#include "tracer/native_runs.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

Noise no_noise(const NoisePoint& /*point*/) { return {}; }

/// Bad unless the exit code is 0.
std::optional<Verdict> judge_exit(const RunEnd& end) {
    if (end.code == 0) return std::nullopt;
    return Verdict{FindingKind::BadExit, "exit code " + std::to_string(end.code)};
}

struct NoiseSearch {
    FreeSearchResult result;
    /// Of the findings, replayed.
    std::vector<Record> replayed;
};

/// Runs the target with noise until something was found that could be reproduced, or so many times.
NoiseSearch search(const LaunchOptions& launch, const NoiseOptions& noise, std::size_t runs,
                   std::size_t max_failures) {
    FreeRuns free(launch, {});
    TracedExecution execution(launch, {});
    Coverage coverage([&](std::uint64_t site) { return free.function_of(site); });
    FreeSearchOptions options;
    options.runs = runs;
    options.max_failures = max_failures;
    options.judge = [](const FreeOutcome& outcome) { return judge_exit(*outcome.end); };
    const Reproduction reproduction{
        execution, free.names(),
        [](const RunEnd& end, const Execution& /*execution*/) { return judge_exit(end); }};
    NoiseSearch search;
    search.result = search_with_noise([&](const DecideNoise& decide) { return free.run(decide); }, noise,
                                      coverage, options, reproduction);
    for (const Finding& finding : search.result.findings) {
        execution.restart();
        search.replayed.push_back(replay(execution, finding.schedule));
    }
    return search;
}

std::vector<std::string> lines_of(const FreeOutcome& outcome, const Names& names, const std::string& thread) {
    std::vector<std::string> lines;
    for (const FreeOperation& made : outcome.operations) {
        if (names.threads.name(made.thread) != thread) continue;
        std::string line{name(made.operation.kind)};
        if (made.operation.object.valid()) line += " " + names.objects.name(made.operation.object);
        if (made.operation.thread.valid()) line += " " + names.threads.name(made.operation.thread);
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

TEST_SUITE("noise") {
    TEST_CASE("a free run does what a native run does") {
        for (const std::string program :
             {"two_threads", "two_threads_static", "two_threads_stripped", "condition", "semaphore", "rwlock",
              "barrier_once_spin", "c11_threads", "cpp_threads", "cancel", "many_threads", "streams",
              "forks"}) {
            CAPTURE(program);
            const LaunchOptions launch{.program = target(program), .input = ""};
            const FreeOutcome native = NativeRuns(launch, {}).run();
            REQUIRE(native.end);
            for (const auto copies : {Breakpoints::Copies::Everywhere, Breakpoints::Copies::Nowhere}) {
                FreeRuns runs(launch, {.copies = copies});
                const FreeOutcome free = runs.run(no_noise);
                CHECK(free.stop == FreeOutcome::Stop::Ended);
                REQUIRE(free.end);
                CHECK(free.end->kind == native.end->kind);
                CHECK(free.end->code == native.end->code);
                CHECK(free.standard_output == native.standard_output);
                CHECK_FALSE(has_child());
            }
        }
    }

    TEST_CASE("no operation gets lost when functions are entered by steps") {
        // Each of them is seen whatever the other threads do meanwhile.
        const LaunchOptions launch{.program = target("many_threads"), .input = ""};
        FreeRuns copies(launch, {});
        FreeRuns steps(launch, {.copies = Breakpoints::Copies::Nowhere});
        CHECK(copies.run(no_noise).operations.size() == steps.run(no_noise).operations.size());
    }

    TEST_CASE("the operations of a free run are recorded with threads and objects by their origins") {
        FreeRuns runs({.program = target("lost_update"), .input = ""}, {});
        const FreeOutcome outcome = runs.run(no_noise);
        const std::vector<std::string> add{"thread start",
                                           "pthread_mutex_lock mutex",
                                           "pthread_mutex_unlock mutex",
                                           "pthread_mutex_lock mutex",
                                           "pthread_mutex_unlock mutex",
                                           "thread exit"};
        CHECK(lines_of(outcome, runs.names(), "T0.1") == add);
        CHECK(lines_of(outcome, runs.names(), "T0.2") == add);
        CHECK(lines_of(outcome, runs.names(), "T0") ==
              std::vector<std::string>{"pthread_create T0.1", "pthread_create T0.2", "pthread_join T0.1",
                                       "pthread_join T0.2"});
        CHECK(runs.function_of(outcome.operations.front().operation.site) == "main");
    }

    TEST_CASE("sleeps between two critical sections lose an update, and it is lost again under control") {
        const LaunchOptions launch{.program = target("lost_update"), .arguments = {"check"}, .input = ""};
        // Both threads sleep before every operation, up to 2 ms: that one of them makes all four before the
        // other one's second is rare, and 200 such runs in a row do not happen.
        const NoiseSearch found = search(launch, {.probability = 1}, 200, 1);
        REQUIRE(found.result.failures.size() == 1);
        CHECK(found.result.failures[0].message == "exit code 3");
        CHECK(found.result.failures[0].reproduced);
        REQUIRE(found.replayed.size() == 1);
        REQUIRE(found.replayed[0].end);
        CHECK(found.replayed[0].end->code == 3);
        CHECK_FALSE(has_child());
    }

    TEST_CASE("a deadlock of a run with noise is recognized and reproduced under control") {
        const LaunchOptions launch{.program = std::string(COOPCHECK_CORPUS_FOLDER) + "/bank", .input = ""};
        const NoiseSearch found = search(launch, {.probability = 1}, 200, 1);
        REQUIRE(found.result.failures.size() == 1);
        CHECK(found.result.failures[0].kind == FindingKind::Deadlock);
        REQUIRE(found.result.failures[0].reproduced);
        CHECK(found.result.failures[0].reproduced->is_cycle);
        CHECK_FALSE(has_child());
    }

    TEST_CASE("every kind of noise leaves the program what it is") {
        for (const NoiseKind kind : {NoiseKind::Sleep, NoiseKind::Yield, NoiseKind::Priority}) {
            for (const NoiseModel model : {NoiseModel::None, NoiseModel::Functions, NoiseModel::Pairs}) {
                const NoiseSearch all = search({.program = target("condition"), .input = ""},
                                               {.kind = kind, .model = model}, 5, 100);
                CHECK(all.result.ends == std::map<std::string, std::size_t>{{"exit code 0", 5}});
                CHECK(all.result.findings.empty());
            }
        }
    }

    TEST_CASE("no process of a free run survives when we are killed") {
        const std::string mark = "coopcheck-free-kill-" + std::to_string(::getpid());
        for (int delay_ms = 20; delay_ms < 120; delay_ms += 20) {
            {
                ChildProcess runner([&mark]() -> int {
                    FreeRuns runs({.program = target("condition"), .arguments = {mark}, .input = ""}, {});
                    for (;;)
                        static_cast<void>(runs.run([](const NoisePoint& /*point*/) {
                            return Noise{NoiseKind::Sleep, std::chrono::milliseconds(5), 0};
                        }));
                });
                std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
                CHECK(runner.kill_and_reap() == WaitStatus(Signalled{SIGKILL}));
            }
            CHECK(coopcheck::testing::all_gone(mark));
        }
    }

    TEST_CASE("a free run that forks leaves nobody behind, and one that does not end is killed") {
        const std::string mark = "coopcheck-free-forks-" + std::to_string(::getpid());
        FreeRuns runs({.program = "/bin/sh",
                       .arguments = {"-c", "sh -c 'sleep 1000; : " + mark + "' & sleep 1000"},
                       .input = ""},
                      {.time_limit = std::chrono::milliseconds(300)});
        const FreeOutcome outcome = runs.run(no_noise);
        CHECK(outcome.stop == FreeOutcome::Stop::TimeLimit);
        CHECK_FALSE(has_child());
        CHECK(coopcheck::testing::all_gone(mark));
    }
}
