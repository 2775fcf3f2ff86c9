#include "tracer/native_runs.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "core/error.hpp"
#include "explorer/free_search.hpp"
#include "tests/support/processes.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/child_process.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

FreeOutcome run_once(const LaunchOptions& launch, NativeOptions options = {}) {
    NativeRuns runs(launch, std::move(options));
    FreeOutcome outcome = runs.run();
    CHECK_FALSE(has_child());
    return outcome;
}

LaunchOptions shell(const std::string& script, const std::string& input = "") {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .input = input};
}

std::string mark_of(const std::string& name) {
    return "coopcheck-" + name + "-" + std::to_string(::getpid());
}

}  // namespace

TEST_SUITE("native runs") {
    TEST_CASE("a native run has the given input, and what it writes is collected") {
        const FreeOutcome outcome =
            run_once(shell("cat; echo problem >&2; test $COOPCHECK = 1", "first\nsecond\n"));
        CHECK(outcome.stop == FreeOutcome::Stop::Ended);
        REQUIRE(outcome.end);
        CHECK(outcome.end->kind == RunEnd::Kind::ProcessExit);
        CHECK(outcome.end->code == 0);
        CHECK(outcome.standard_output == "first\nsecond\n");
        CHECK(outcome.standard_error == "problem\n");
    }

    TEST_CASE("more output than a pipe holds does not keep a native run from ending") {
        const FreeOutcome outcome = run_once(shell("head -c 1000000 /dev/zero"));
        REQUIRE(outcome.end);
        CHECK(outcome.standard_output == std::string(1'000'000, '\0'));
        CHECK_FALSE(outcome.output_cut);
    }

    TEST_CASE("exit codes, signals and failed assertions of native runs are told apart") {
        const FreeOutcome exits = run_once(shell("exit 7"));
        REQUIRE(exits.end);
        CHECK(exits.end->code == 7);
        const FreeOutcome killed = run_once(shell("kill -SEGV $$"));
        REQUIRE(killed.end);
        CHECK(killed.end->kind == RunEnd::Kind::Failed);
        CHECK(killed.end->failure == FindingKind::Crash);
        CHECK(killed.end->message == "SIGSEGV");
        const FreeOutcome asserts = run_once(
            shell(R"(echo "program: file.c:12: main: Assertion \`a == b' failed." >&2; kill -ABRT $$)"));
        REQUIRE(asserts.end);
        CHECK(asserts.end->failure == FindingKind::Assertion);
        CHECK(asserts.end->message == "file.c:12: main: Assertion `a == b' failed.");
    }

    TEST_CASE("a native run that does not end is killed with everything it started, and counted") {
        const std::string mark = mark_of("time-limit");
        // One has left the group and the session of the program, the other one is nobody's child.
        const std::string sleeper = "sh -c 'sleep 1000; : " + mark + "'";
        const std::string script = "setsid " + sleeper + " & (" + sleeper + " &) ; sleep 1000";
        NativeRuns runs(shell(script), {.time_limit = std::chrono::milliseconds(300)});
        FreeSearchOptions options{.runs = 2, .time_limit = std::chrono::milliseconds(300)};
        const FreeSearchResult result = count_native_runs([&] { return runs.run(); }, options);
        CHECK(result.runs == 2);
        CHECK(result.did_not_end == 2);
        CHECK(result.ends == std::map<std::string, std::size_t>{{"did not end in 0.3 s", 2}});
        CHECK(result.failures.empty());
        CHECK_FALSE(has_child());
        CHECK(coopcheck::testing::all_gone(mark));
    }

    TEST_CASE("what a native run leaves behind is killed with its end") {
        const std::string mark = mark_of("left-behind");
        const FreeOutcome outcome = run_once(shell("setsid sh -c 'sleep 1000; : " + mark + "' & exit 0"));
        REQUIRE(outcome.end);
        CHECK(outcome.end->code == 0);
        CHECK(coopcheck::testing::all_gone(mark));
    }

    TEST_CASE("no process of a native run survives when we are killed") {
        const std::string mark = mark_of("native-kill");
        for (int delay_ms = 20; delay_ms < 120; delay_ms += 20) {
            {
                ChildProcess runner([&mark]() -> int {
                    NativeRuns runs(shell("setsid sh -c 'sleep 1000; : " + mark + "' & sleep 1000"), {});
                    static_cast<void>(runs.run());
                    return 0;
                });
                std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
                CHECK(runner.kill_and_reap() == WaitStatus(Signalled{SIGKILL}));
            }
            CHECK(coopcheck::testing::all_gone(mark));
        }
    }

    TEST_CASE("an interruption ends a native run") {
        const FreeOutcome outcome = run_once(
            shell("sleep 1000"), {.time_limit = std::chrono::hours(1), .interruption = [] { return true; }});
        CHECK(outcome.stop == FreeOutcome::Stop::Interrupted);
        CHECK_FALSE(outcome.end);
    }

    TEST_CASE("a failure of native runs is a count without a schedule") {
        int nth = 0;
        // Every third run fails.
        const auto fake = [&] {
            FreeOutcome outcome;
            outcome.end.emplace();
            outcome.end->kind = RunEnd::Kind::ProcessExit;
            outcome.end->code = nth++ % 3 == 1 ? 3 : 0;
            return outcome;
        };
        FreeSearchOptions options;
        options.runs = 9;
        options.judge = [](const FreeOutcome& outcome) -> std::optional<Verdict> {
            if (outcome.end->code == 0) return std::nullopt;
            return Verdict{FindingKind::BadExit, "exit code 3"};
        };
        const FreeSearchResult result = count_native_runs(fake, options);
        CHECK(result.runs == 9);
        CHECK(result.ends ==
              std::map<std::string, std::size_t>{{"exit code 0", 6}, {"bad exit: exit code 3", 3}});
        REQUIRE(result.failures.size() == 1);
        CHECK(result.failures[0].runs == 3);
        CHECK(result.failures[0].first_run == 2);
        CHECK(result.findings.empty());
        CHECK(result.claim().find("was seen in 3 of 9 native runs, first in run 2; there is no schedule") !=
              std::string::npos);
    }

    TEST_CASE("a program that cannot be executed is an error of the user in a native run, too") {
        CHECK_THROWS_AS(
            run_once({.program = target("two_threads"), .working_directory = "/nowhere", .input = ""}),
            Error);
        CHECK_FALSE(has_child());
    }
}
