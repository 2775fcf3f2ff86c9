#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/cmd/captured_run.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string line_with(const std::string& text, const std::string& word) {
    const std::size_t place = text.find(word);
    if (place == std::string::npos) return "";
    const std::size_t before = text.rfind('\n', place);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return text.substr(start, text.find('\n', place) - start);
}

}  // namespace

TEST_CASE("an exit code other than 0 is a finding, with the fewest preemptions") {
    const CapturedRun run = run_coopcheck({"explore", target("lost_update"), "check"});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(first_line(run.out) == "bad exit in T0: exit code 3, 1 preemption");
    CHECK(run.err.empty());
}

TEST_CASE("an expected exit code is no finding, any other one is") {
    CHECK(run_coopcheck({"explore", target("lost_update")}).end == WaitStatus(Exited{0}));
    const CapturedRun run = run_coopcheck({"explore", "--expect-exit", "3", target("lost_update"), "check"});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(first_line(run.out) == "bad exit in T0: exit code 0, expected 3, 0 preemptions");
}

TEST_CASE("output that is not the expected one is a finding that names the first difference") {
    const std::string path = target("expected.txt");
    std::ofstream(path) << "2\n";
    const CapturedRun run = run_coopcheck({"explore", "--expect-stdout", path, target("lost_update")});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(first_line(run.out) ==
          "wrong output in T0: line 1 of the output is '1', expected '2', 1 preemption");
    const CapturedRun unbounded =
        run_coopcheck({"explore", "--unbounded", "--expect-stdout", path, target("lost_update")});
    CHECK(unbounded.end == WaitStatus(Exited{1}));
    std::remove(path.c_str());
    const CapturedRun missing = run_coopcheck({"explore", "--expect-stdout", path, target("lost_update")});
    CHECK(missing.end == WaitStatus(Exited{2}));
    CHECK(missing.err == "coopcheck: Cannot read '" + path + "', which the output is to be compared with.\n");
}

TEST_CASE("a command decides about output and exit code") {
    CHECK(run_coopcheck({"explore", "--oracle", "read n && [ $n = 2 ]", target("lost_update")}).end ==
          WaitStatus(Exited{1}));
    CHECK(run_coopcheck({"explore", "--oracle", "[ $COOPCHECK_EXIT = 0 ]", target("lost_update")}).end ==
          WaitStatus(Exited{0}));
    const CapturedRun run =
        run_coopcheck({"explore", "--oracle", "no-such-command-anywhere", target("lost_update")});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.err.find("The oracle 'no-such-command-anywhere' cannot be run; try it by hand.") !=
          std::string::npos);
}

TEST_CASE("every limit ends the search, says so, and exits with 3") {
    const auto claim = [](const std::string& option, const std::string& value) {
        const CapturedRun run = run_coopcheck({"explore", option, value, target("lost_update")});
        CHECK(run.end == WaitStatus(Exited{3}));
        return line_with(run.out, "incomplete");
    };
    CHECK(claim("--schedules", "3").find("(3 run, 0 pruned): the limit on schedules was reached") !=
          std::string::npos);
    CHECK(claim("--steps", "20").find(": the limit on steps was reached") != std::string::npos);
    CHECK(claim("--time", "0.000001").find(": the time limit of 1e-06 s was reached") != std::string::npos);
    CHECK(claim("--thread-steps", "2").find("limit on its steps") != std::string::npos);
}

TEST_CASE("an unfinished search estimates how many schedules there are; a finished one does not") {
    const auto estimate = [](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"explore"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.push_back(target("lost_update"));
        return line_with(run_coopcheck(arguments).out, "Knuth");
    };
    // Stopped within the schedules without preemptions, within those with one, and not by a bound at all.
    CHECK(estimate({"--schedules", "1"}).find(" schedules with at most 0 preemptions, counted") !=
          std::string::npos);
    CHECK(estimate({"--strategy", "exitblock", "--schedules", "6"})
              .find(" schedules with at most 1 preemption, counted") != std::string::npos);
    CHECK(estimate({"--strategy", "pct", "--schedules", "5"}).find(" schedules, counted") !=
          std::string::npos);
    CHECK(estimate({"--unbounded", "--schedules", "1"}).find(" schedules, counted") != std::string::npos);
    CHECK(estimate({}).empty());
    CHECK(estimate({"--bound", "1"}).empty());
}

TEST_CASE("without a bound the bounds rise until there are no more schedules") {
    const CapturedRun run = run_coopcheck({"explore", target("lost_update")});
    CHECK(line_with(run.out, "complete").starts_with("complete: all schedules, one of each class"));
    const CapturedRun blocks = run_coopcheck({"explore", "--strategy", "exitblock", target("lost_update")});
    CHECK(line_with(blocks.out, "complete").starts_with("complete: all schedules ("));
    const CapturedRun bounded = run_coopcheck({"explore", "--bound", "1", target("lost_update")});
    CHECK(line_with(bounded.out, "complete")
              .starts_with("complete: all schedules with at most 1 preemption ("));
    CHECK(bounded.end == WaitStatus(Exited{0}));
}

TEST_CASE("distinct findings are collected up to their limit") {
    const auto findings = [](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"explore", "--expect-exit", "7", target("lost_update"), "check"};
        arguments.insert(arguments.begin() + 1, options.begin(), options.end());
        const std::string out = run_coopcheck(arguments).out;
        std::size_t count = 0;
        for (std::size_t at = out.find("bad exit"); at != std::string::npos;
             at = out.find("bad exit", at + 1))
            count += 1;
        return count;
    };
    CHECK(findings({}) == 1);
    CHECK(findings({"--keep-going"}) == 2);  // exit codes 0 and 3
    CHECK(findings({"--keep-going", "--max-findings", "1"}) == 1);
}

TEST_CASE("contradicting options are refused") {
    const CapturedRun run = run_coopcheck({"explore", "--unbounded", "--bound", "1", target("lost_update")});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.err == "coopcheck: Give --bound or --unbounded, not both.\n");
}

TEST_CASE("programs that wait by trying again end; a loop that nobody can end is a livelock with its place") {
    for (const std::string how : {"yield", "sleep", "trylock"}) {
        CAPTURE(how);
        for (const std::vector<std::string>& search :
             {std::vector<std::string>{"--bound", "1"}, {"--unbounded"}}) {
            std::vector<std::string> arguments{"explore", "--races", "off"};
            arguments.insert(arguments.end(), search.begin(), search.end());
            arguments.push_back(target("polling"));
            arguments.push_back(how);
            const CapturedRun good = run_coopcheck(arguments);
            CHECK(good.end == WaitStatus(Exited{0}));
            CHECK(good.out.find("a thread that tries again at the same place lets the others go first") !=
                  std::string::npos);
            arguments.emplace_back("never");
            const CapturedRun bad = run_coopcheck(arguments);
            CHECK(bad.end == WaitStatus(Exited{1}));
            CHECK(first_line(bad.out).starts_with("livelock in T0."));
            CHECK(bad.out.find("at wait_until_done polling.c:") != std::string::npos);
        }
    }
}

TEST_CASE("a program that looks for a debugger does not find us") {
    for (const std::string races : {"off", "every"}) {
        CAPTURE(races);
        const CapturedRun run =
            run_coopcheck({"explore", "--races", races, "--bound", "1", target("looks_for_debugger")});
        CHECK(run.end == WaitStatus(Exited{0}));
    }
}

TEST_CASE("a program that does not end is explained, not only reported as not explored") {
    const CapturedRun run =
        run_coopcheck({"explore", "--races", "off", "--steps", "5000", target("endless_rounds")});
    CHECK(run.end == WaitStatus(Exited{3}));
    CHECK(run.out.find("no schedule came to its end") != std::string::npos);
    CHECK(run.out.find("--thread-steps N") != std::string::npos);
}
