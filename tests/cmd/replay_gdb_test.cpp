// replay --gdb, with a real gdb.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/handover.hpp"

using namespace coopcheck;
using coopcheck::testing::all_gone;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::corpus;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::Signalled;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

bool there_is_gdb() {
    if (tracer::find_debugger()) return true;
    MESSAGE("SKIPPED: gdb is not installed, so nothing is known about replay --gdb");
    return false;
}

/// Explores a program to its finding and returns where the trace is.
std::string explore(const TemporaryFolder& folder, const std::vector<std::string>& program) {
    std::vector<std::string> words{"explore", "--out", folder.path()};
    words.insert(words.end(), program.begin(), program.end());
    CHECK(run_coopcheck(words).end == WaitStatus(Exited{1}));
    return folder.file("trace.json");
}

/// What gdb says to these commands.
CapturedRun gdb(const std::string& trace, const std::vector<std::string>& commands,
                const std::vector<std::string>& more = {}) {
    std::string arguments = "-nx -batch";
    for (const std::string& command : commands) arguments += " -ex '" + command + "'";
    std::vector<std::string> words{"replay", trace, "--gdb", "--gdb-args", arguments};
    words.insert(words.end(), more.begin(), more.end());
    return run_coopcheck(words);
}

/// The stacks of "thread apply all bt" by the thread's name in the search.
std::map<std::string, std::string> stacks_in(const std::string& text) {
    std::map<std::string, std::string> stacks;
    std::string* stack = nullptr;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("Thread ") && line.ends_with("\"):")) {
            const std::size_t name = line.find('"') + 1;
            stack = &stacks[line.substr(name, line.find(' ', name) - name)];
        } else if (line.empty()) {
            stack = nullptr;
        } else if (stack != nullptr) {
            *stack += line + "\n";
        }
    }
    return stacks;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// "transfer bank.cpp:15", as the trace has it, against a line "#4 ... transfer (...) at .../bank.cpp:15".
bool shows(const std::string& stack, const std::string& source) {
    const std::string function = source.substr(0, source.find(' '));
    const std::string line = source.substr(source.rfind(' ') + 1);
    std::istringstream frames(stack);
    for (std::string frame; std::getline(frames, frame);) {
        if (contains(frame, function + " (") && frame.ends_with("/" + line)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("gdb shows the threads of a deadlock where the trace says they wait, and who holds the mutexes") {
    if (!there_is_gdb()) return;
    const TemporaryFolder folder;
    const std::string mark = "coopcheck-gdb-test-" + std::to_string(::getpid());
    const std::string path = explore(folder, {corpus("bank"), mark});
    const Trace trace = read_trace(path);
    const CapturedRun run = gdb(path, {"thread apply all bt", "frame apply all -q -s p from.balance",
                                       "frame apply all -q -s p from.mutex._M_mutex.__data.__owner",
                                       "frame apply all -q -s p to.mutex._M_mutex.__data.__lock"});
    CHECK(run.end == WaitStatus(Exited{1}));
    const auto stacks = stacks_in(run.out);
    CHECK(stacks.size() == 3);
    REQUIRE(trace.finding.waits.size() == 2);
    for (const TraceWait& wait : trace.finding.waits) {
        CAPTURE(wait.thread);
        CAPTURE(run.out);
        REQUIRE(stacks.contains(wait.thread));
        CHECK(contains(stacks.at(wait.thread), "pthread_mutex_lock ("));
        CHECK(shows(stacks.at(wait.thread), wait.source));
    }
    REQUIRE(stacks.contains("T0"));
    CHECK(shows(stacks.at("T0"), "main bank.cpp:26"));
    // Nobody has transferred anything yet.
    CHECK(contains(run.out, "$1 = 100\n"));
    // The thread that gdb shows has locked the account that it transfers from.
    const std::size_t shown = run.out.find("(LWP ", run.out.find("[Switching to thread ")) + 5;
    CHECK(contains(run.out, "$2 = " + run.out.substr(shown, run.out.find(')', shown) - shown) + "\n"));
    CHECK(contains(run.out, "$3 = 1\n"));
    CHECK(all_gone(mark));
}

TEST_CASE("gdb begins with the thread whose assertion has failed, and can let the program go on") {
    if (!there_is_gdb()) return;
    const TemporaryFolder folder;
    const std::string path = explore(folder, {corpus("splitsync")});
    const Trace trace = read_trace(path);
    const CapturedRun run = gdb(path, {"bt", "p x == y", "continue"});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(contains(run.out, "__assert_fail (assertion="));
    CHECK(shows(run.out, trace.steps.back().source));
    // libc says it now, because nobody keeps it from writing and aborting any more.
    CHECK(contains(run.err, "Assertion `x == y' failed."));
    CHECK(contains(run.out, "received signal SIGABRT"));
    CHECK(!contains(run.out, "SIGSTOP"));
}

TEST_CASE("gdb shows where a program crashes, and the same signal when it goes on") {
    if (!there_is_gdb()) return;
    const TemporaryFolder folder;
    const std::string path = explore(folder, {target("crash"), "segv"});
    const Trace trace = read_trace(path);
    const CapturedRun run = gdb(path, {"bt", "p nowhere", "continue"});
    CHECK(shows(run.out, trace.steps.back().source));
    CHECK(contains(run.out, "$1 = (volatile int *) 0x0\n"));
    CHECK(contains(run.out, "received signal SIGSEGV"));
}

TEST_CASE("a thread that waits on a condition waits really when gdb sees it") {
    if (!there_is_gdb()) return;
    const TemporaryFolder folder;
    const std::string path = explore(folder, {corpus("lost_wakeup")});
    const CapturedRun run = gdb(path, {"thread apply all bt", "p mutex.__data.__owner"});
    const auto stacks = stacks_in(run.out);
    REQUIRE(stacks.contains("T0.1"));
    CHECK(contains(stacks.at("T0.1"), "pthread_cond_wait"));
    for (const TraceWait& wait : read_trace(path).finding.waits)
        CHECK(shows(stacks.at(wait.thread), wait.source));
    CHECK(contains(run.out, "$1 = 0\n"));
}

TEST_CASE("gdb can be had before any step of a trace") {
    if (!there_is_gdb()) return;
    const TemporaryFolder folder;
    const std::string path = explore(folder, {corpus("bank")});
    const Trace trace = read_trace(path);
    for (std::size_t step = 2; step <= trace.steps.size(); ++step) {
        CAPTURE(step);
        const TraceStep& next = trace.steps[step - 1];
        const CapturedRun run = gdb(path, {"bt", "thread apply all bt"}, {"--until", std::to_string(step)});
        CHECK(run.end == WaitStatus(Exited{0}));
        const auto stacks = stacks_in(run.out);
        REQUIRE(stacks.contains(next.thread));
        // A thread that is about to start is in no function of the program.
        if (!next.source.empty()) CHECK(shows(stacks.at(next.thread), next.source));
    }
}

TEST_CASE("nothing is left behind when coopcheck is killed while gdb runs") {
    if (!there_is_gdb()) return;
    const TemporaryFolder folder;
    const std::string mark = "coopcheck-gdb-kill-test-" + std::to_string(::getpid());
    const std::string path = explore(folder, {corpus("bank"), mark});
    const std::string ready = folder.file("ready");
    for (const std::string last : {"continue", "python import time; time.sleep(600)"}) {
        CAPTURE(last);
        std::filesystem::remove(ready);
        const std::string arguments =
            "-nx -batch -ex 'echo " + mark + "' -ex 'shell touch " + ready + "' -ex '" + last + "'";
        const CapturedRun run = run_coopcheck(
            {"replay", path, "--gdb", "--gdb-args", arguments}, [] {},
            [&](tracer::ProcessId coopcheck) {
                constexpr int patience = 3000;
                for (int time = 0; time < patience && !std::filesystem::exists(ready); ++time)
                    std::this_thread::sleep_for(std::chrono::milliseconds(10));
                CHECK(std::filesystem::exists(ready));
                ::kill(static_cast<pid_t>(coopcheck), SIGKILL);
            });
        CHECK(run.end == WaitStatus(Signalled{SIGKILL}));
        CHECK(all_gone(mark));
    }
}

TEST_CASE("without gdb replay --gdb says so and does nothing") {
    const TemporaryFolder folder;
    const std::string path = explore(folder, {corpus("bank")});
    const CapturedRun run = run_coopcheck({"replay", path, "--gdb"}, [&] {
        ::setenv("PATH", folder.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread after fork
    });
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.out.empty());
    CHECK(contains(run.err, "There is no gdb here; install the package gdb."));
}

TEST_CASE("arguments for gdb need gdb and closed quotes") {
    const TemporaryFolder folder;
    const std::string path = explore(folder, {corpus("bank")});
    CHECK(run_coopcheck({"replay", path, "--gdb-args", "-batch"}).end == WaitStatus(Exited{2}));
    const CapturedRun run = run_coopcheck({"replay", path, "--gdb", "--gdb-args", "-ex 'bt"});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(contains(run.err, "A quote in --gdb-args is not closed."));
}
