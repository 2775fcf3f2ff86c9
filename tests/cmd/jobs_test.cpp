// One search by several processes.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::testing::all_gone;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::corpus;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::ProcessId;
using coopcheck::tracer::Signalled;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

CapturedRun explore(const std::string& jobs, const std::string& out, const std::vector<std::string>& more) {
    // Of a shared search only the first part is watched, and that is said.
    std::vector<std::string> words{"explore",         "--jobs", jobs,         "--races", "off",
                                   "--minimize-time", "0",      "--coverage", "--out",   out};
    words.insert(words.end(), more.begin(), more.end());
    return run_coopcheck(words);
}

/// Without the lines that name files.
std::string said(const std::string& text, const std::string& folder) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(folder) == std::string::npos) kept += line + "\n";
    }
    return kept;
}

std::string steps_of(const std::string& trace_file) {
    std::string text;
    for (const coopcheck::TraceStep& step : coopcheck::read_trace(trace_file).steps)
        text += step.thread + " ";
    return text;
}

std::string claim_of(const std::string& text) {
    const std::size_t start = text.find("complete");
    REQUIRE(start != std::string::npos);
    return text.substr(start, text.find('\n', start) - start);
}

/// The processes whose parent this is and that are coopcheck themselves.
std::vector<pid_t> workers_of(ProcessId process) {
    const std::string id = std::to_string(static_cast<pid_t>(process));
    std::ifstream list("/proc/" + id + "/task/" + id + "/children");
    std::ifstream own("/proc/" + id + "/comm");
    std::string own_name;
    std::getline(own, own_name);
    std::vector<pid_t> workers;
    for (pid_t child = 0; list >> child;) {
        std::ifstream comm("/proc/" + std::to_string(child) + "/comm");
        std::string name;
        std::getline(comm, name);
        if (name == own_name) workers.push_back(child);
    }
    return workers;
}

}  // namespace

TEST_CASE("by blocks several jobs run the schedules of one, find the same and say the same") {
    const TemporaryFolder folder;
    std::vector<std::vector<std::string>> searches{
        {"--bound", "3", corpus("philosophers_fixed"), "3"},
        {"--bound", "2", corpus("if_instead_of_while_fixed")},
        {"--unbounded", "--keep-going", corpus("philosophers"), "5"},
        {"--bound", "2", "--keep-going", corpus("if_instead_of_while")},
    };
    for (std::vector<std::string>& search : searches) {
        CAPTURE(search.back());
        search.insert(search.begin(), {"--strategy", "exitblock"});
        const CapturedRun alone = explore("1", folder.file("alone"), search);
        for (const std::string jobs : {"2", "3"}) {
            const CapturedRun together = explore(jobs, folder.file("together"), search);
            CHECK(together.err.empty());
            CHECK(together.end == alone.end);
            CHECK(said(together.out, folder.path()) == said(alone.out, folder.path()));
        }
        if (alone.end == WaitStatus(Exited{1})) {
            CHECK(steps_of(folder.file("together/trace.json")) == steps_of(folder.file("alone/trace.json")));
        }
    }
}

TEST_CASE("within a bound several jobs find what one does, with as many preemptions, and claim the same") {
    const TemporaryFolder folder;
    const std::vector<std::vector<std::string>> searches{
        {"--bound", "2", corpus("philosophers_fixed"), "9"},
        {"--bound", "3", "--keep-going", corpus("philosophers"), "9"},
        {"--bound", "1", "--keep-going", corpus("exitblock/regions"), "4", "3"},
        {"--bound", "1", corpus("exitblock/regions"), "4", "4"},
        {"--bound", "1", "--strategy", "source", corpus("exitblock/regions_fixed"), "4", "4"},
        {"--bound", "1", target("polling"), "yield"},  // by blocks: not on record
    };
    for (const std::vector<std::string>& search : searches) {
        CAPTURE(search.back());
        const CapturedRun alone = explore("1", folder.file("alone"), search);
        for (const std::string jobs : {"2", "3"}) {
            const CapturedRun together = explore(jobs, folder.file("together"), search);
            CHECK(together.err.empty());
            CHECK(together.end == alone.end);
            CHECK(claim_of(together.out) == claim_of(alone.out));
            if (alone.end != WaitStatus(Exited{1})) continue;
            const coopcheck::Trace found = coopcheck::read_trace(folder.file("together/trace.json"));
            const coopcheck::Trace expected = coopcheck::read_trace(folder.file("alone/trace.json"));
            CHECK(found.finding.kind == expected.finding.kind);
            CHECK(found.preemptions == expected.preemptions);
        }
    }
}

TEST_CASE("several jobs run one schedule of each class") {
    const TemporaryFolder folder;
    for (const std::string jobs : {"1", "2", "3"}) {
        CAPTURE(jobs);
        // Philosophers who take their forks in order: 2^n - 2 classes (docs/architecture.md).
        const CapturedRun clean =
            explore(jobs, folder.file("clean"),
                    {"--strategy", jobs == "3" ? "optimal" : "source", corpus("philosophers_fixed"), "9"});
        const CapturedRun bounded =
            explore(jobs, folder.file("bounded"), {"--bound", "2", corpus("philosophers_fixed"), "9"});
        CHECK(bounded.end == WaitStatus(Exited{0}));
        CHECK(bounded.out.find("(510 run") != std::string::npos);
        CHECK(clean.err.empty());
        CHECK(clean.end == WaitStatus(Exited{0}));
        CHECK(clean.out.find("(510 run") != std::string::npos);
        const CapturedRun found =
            explore(jobs, folder.file("found"),
                    {"--strategy", "source", "--keep-going", corpus("philosophers"), "7"});
        CHECK(found.end == WaitStatus(Exited{1}));
        CHECK(found.out.find("deadlock") != std::string::npos);
        CHECK(found.out.find("one of each class") != std::string::npos);
    }
}

TEST_CASE("several jobs stop at the limits of one") {
    const TemporaryFolder folder;
    const CapturedRun limited = explore(
        "2", folder.path(), {"--schedules", "400", "--bound", "3", corpus("philosophers_fixed"), "11"});
    CHECK(limited.end == WaitStatus(Exited{3}));
    CHECK(limited.out.find("the limit on schedules was reached") != std::string::npos);
    const CapturedRun timed =
        explore("2", folder.path(), {"--time", "2", "--bound", "4", corpus("philosophers_fixed"), "15"});
    CHECK(timed.end == WaitStatus(Exited{3}));
    CHECK(timed.out.find("the time limit of 2 s was reached") != std::string::npos);
}

TEST_CASE("whichever process of a shared search is killed or interrupted, none stays behind") {
    const std::string mark = "coopcheck-jobs-test-" + std::to_string(::getpid());
    const TemporaryFolder folder;
    enum class Whom { Parent, ParentPolitely, Worker };
    for (const Whom whom : {Whom::Parent, Whom::ParentPolitely, Whom::Worker}) {
        bool was_shared = false;
        const CapturedRun run = run_coopcheck(
            {"explore", "--jobs", "2", "--races", "off", "--out", folder.path(), corpus("philosophers_fixed"),
             "15", mark},
            [] {},
            [&](ProcessId process) {
                std::vector<pid_t> workers;
                for (int tries = 0; tries < 600 && workers.size() < 2; ++tries) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                    workers = workers_of(process);
                }
                was_shared = workers.size() == 2;
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                const pid_t victim =
                    whom == Whom::Worker && was_shared ? workers.front() : static_cast<pid_t>(process);
                ::kill(victim, whom == Whom::ParentPolitely ? SIGINT : SIGKILL);
            });
        CAPTURE(static_cast<int>(whom));
        CAPTURE(run.out);
        CHECK(was_shared);
        if (whom == Whom::Parent) {
            CHECK(run.end == WaitStatus(Signalled{SIGKILL}));
        } else if (whom == Whom::ParentPolitely) {
            CHECK(run.end == WaitStatus(Exited{130}));
            CHECK(run.out.find("pruned): interrupted") != std::string::npos);
        } else {
            CHECK(run.end == WaitStatus(Exited{3}));
            CHECK(run.out.find("one of the jobs was killed") != std::string::npos);
        }
        REQUIRE(all_gone(mark));
    }
}

TEST_CASE("what cannot be shared is refused in one sentence") {
    const auto refused = [](std::vector<std::string> options) {
        options.insert(options.begin(), {"explore", "--jobs", "2"});
        options.push_back(corpus("bank"));
        const CapturedRun run = run_coopcheck(options);
        CHECK(run.end == WaitStatus(Exited{2}));
        CHECK(run.out.empty());
        return run.err;
    };
    CHECK(
        refused({"--strategy", "pct"}) ==
        "coopcheck: Only a search by the strategy classes, exitblock, source or optimal can be shared among "
        "jobs; leave --jobs out.\n");
    CHECK(refused({"--resume", "search"}) ==
          "coopcheck: A search among jobs cannot be saved and gone on with; leave --jobs out.\n");
    CHECK(refused({"--races", "every"}) ==
          "coopcheck: A search that watches every schedule cannot be shared among jobs; leave --jobs out.\n");
    CHECK(refused({"--steps", "1000"}).ends_with("leave --jobs out.\n"));
    CHECK(refused({"--max-findings", "3"}).ends_with("leave --jobs out.\n"));
}
