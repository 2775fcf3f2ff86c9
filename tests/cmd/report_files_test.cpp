// What explore and show write besides the traces, on programs of the corpus.
#include <doctest/doctest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::read_trace;
using coopcheck::Trace;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::corpus;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// What a run writes to a terminal.
std::string on_terminal(const std::vector<std::string>& arguments) {
    int terminal = -1;
    int ours = -1;
    REQUIRE(::openpty(&ours, &terminal, nullptr, nullptr, nullptr) == 0);
    winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(terminal, TIOCSWINSZ, &size) == 0);
    std::string text;
    run_coopcheck(
        arguments,
        [&] {
            ::setenv("TERM", "xterm", 1);
            ::unsetenv("NO_COLOR");
            ::dup2(terminal, STDOUT_FILENO);
            ::dup2(terminal, STDERR_FILENO);
        },
        [&](coopcheck::tracer::ProcessId) {
            ::close(terminal);  // so that the end of the program is the end of what can be read
            std::array<char, 4096> chunk{};
            for (ssize_t got = 0; (got = ::read(ours, chunk.data(), chunk.size())) > 0;) {
                text.append(chunk.data(), static_cast<std::size_t>(got));
            }
        });
    ::close(ours);
    return text;
}

}  // namespace

TEST_CASE("traces name variables and their members as the source does") {
    const TemporaryFolder folder;
    run_coopcheck({"explore", "--out", folder.path(), corpus("bank")});
    const Trace bank = read_trace(folder.file("trace.json"));
    std::vector<std::string> names;
    for (const auto& [object, label] : bank.labels) names.push_back(label);
    CHECK(names == std::vector<std::string>{"a.mutex", "b.mutex"});  // locals of main
    CHECK(bank.stacks.at(bank.steps.back().stack - 1).front().starts_with("transfer bank.cpp:"));
    CHECK(bank.decision);

    run_coopcheck({"explore", "--out", folder.path(), corpus("philosophers")});
    const Trace philosophers = read_trace(folder.file("trace.json"));
    CHECK(philosophers.labels.at("forks") == "forks[0]");
    CHECK(philosophers.labels.at("forks+0x50") == "forks[2]");
    // Each of the three has taken a fork and waits for the next one.
    std::size_t held = 0;
    for (const auto& step : philosophers.steps) held += step.takes.size() - step.gives.size();
    CHECK(held == 3);
}

TEST_CASE("all reports of a finding are written, and tell the same") {
    const TemporaryFolder folder;
    const CapturedRun run =
        run_coopcheck({"explore", "--out", folder.file("out"), "--json", folder.file("a.json"), "--junit",
                       folder.file("a.xml"), "--sarif", folder.file("a.sarif"), corpus("reorder")});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(contains(run.out, "report: " + folder.file("out/report.html") + "\n"));
    const auto json = nlohmann::json::parse(text_of(folder.file("a.json")));
    const auto& finding = json["runs"][0]["findings"][0];
    CHECK(finding["kind"] == "assertion");
    CHECK(finding["place"]["file"] == "reorder.c");
    CHECK(finding["place"]["function"] == "check");
    CHECK(finding["trace"] == folder.file("out/trace.json"));
    const auto sarif = nlohmann::json::parse(text_of(folder.file("a.sarif")));
    CHECK(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] ==
          finding["place"]["line"]);
    pugi::xml_document junit;
    REQUIRE(junit.load_file(folder.file("a.xml").c_str()));
    CHECK(std::string(junit.select_node("//testcase").node().attribute("name").value()) == "reorder");
    CHECK(contains(text_of(folder.file("out/report.html")), "\"coopcheck-report\""));
}

TEST_CASE("reports name the strategy") {
    const TemporaryFolder folder;
    for (const std::string strategy : {"classes", "exitblock", "source", "optimal", "random", "uniform",
                                       "history", "pct", "pos", "surw", "auto", "noise", "none"}) {
        run_coopcheck({"explore", "--no-page", "--strategy", strategy, "--schedules", "1", "--json",
                       folder.file("a.json"), corpus("lost_wakeup_fixed")});
        const auto json = nlohmann::json::parse(text_of(folder.file("a.json")));
        CHECK(json["runs"][0]["strategy"] == strategy);
    }
}

TEST_CASE("a report that was asked for by name and cannot be written is an error") {
    const CapturedRun run = run_coopcheck(
        {"explore", "--no-page", "--json", "/proc/nowhere/a.json", corpus("lost_wakeup_fixed")});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.err ==
          "coopcheck: Cannot write the report /proc/nowhere/a.json: No such file or directory; name another "
          "file.\n");
}

TEST_CASE("show renders a trace as text, page and graph without the program") {
    const TemporaryFolder folder;
    run_coopcheck({"explore", "--out", folder.path(), corpus("bank")});
    Trace trace = read_trace(folder.file("trace.json"));
    trace.program.path = trace.program.absolute_path = "/gone";
    write_trace(trace, folder.file("t.json"));
    const CapturedRun text = run_coopcheck({"show", "--text", folder.file("t.json")});
    CHECK(text.out.starts_with("deadlock (cycle), 1 preemption\n"));
    const CapturedRun files = run_coopcheck(
        {"show", "--html", folder.file("t.html"), "--dot", folder.file("t.dot"), folder.file("t.json")});
    CHECK(files.end == WaitStatus(Exited{0}));
    CHECK(files.out.empty());
    CHECK(contains(text_of(folder.file("t.html")), "a.mutex"));
    CHECK(text_of(folder.file("t.dot")).starts_with("digraph"));
    CHECK(run_coopcheck({"show", "--dot", "-", folder.file("t.json")}).out == text_of(folder.file("t.dot")));
}

TEST_CASE("in a pipe there are no colours and no progress, unless asked for") {
    const TemporaryFolder folder;
    const std::vector<std::string> plain{"explore", "--out", folder.path(), corpus("bank")};
    const CapturedRun run = run_coopcheck(plain);
    CHECK(run.err.empty());
    CHECK(!contains(run.out, "\x1b"));
    const CapturedRun colored =
        run_coopcheck({"explore", "--color", "always", "--out", folder.path(), corpus("bank")});
    CHECK(contains(colored.out, "\x1b[1;31mdeadlock"));
    CHECK(colored.err.empty());
}

TEST_CASE("on a terminal there is a line of progress, erased before the report") {
    const TemporaryFolder folder;
    const std::string text = on_terminal({"explore", "--out", folder.path(), corpus("bank")});
    const std::size_t line = text.find("bound 0  1 schedules  ");
    const std::size_t report = text.find("deadlock (cycle)");
    REQUIRE(line != std::string::npos);
    REQUIRE(report != std::string::npos);
    CHECK(line < report);
    const std::string erase = "\r\x1b[K";
    const std::size_t erased = text.rfind(erase, report);
    CHECK(erased > line);
    // Nothing but the beginning of the report's colour is between.
    CHECK(text.substr(erased + erase.size(), report - erased - erase.size()) == "\x1b[1;31m");
    CHECK(text.find(erase, report) == std::string::npos);
}

TEST_CASE("quiet is findings only, verbose is every step") {
    const TemporaryFolder folder;
    const CapturedRun clean = run_coopcheck({"explore", "-q", "--out", folder.path(), corpus("bank_fixed")});
    CHECK(clean.end == WaitStatus(Exited{0}));
    CHECK(clean.out.empty());
    const CapturedRun quiet = run_coopcheck({"explore", "-q", "--out", folder.path(), corpus("bank")});
    CHECK(contains(quiet.out, "deadlock"));
    CHECK(!contains(quiet.out, "incomplete"));
    CHECK(!contains(quiet.out, "coverage"));
    const CapturedRun verbose = run_coopcheck({"explore", "-v", "--out", folder.path(), corpus("bank")});
    CHECK(contains(verbose.out, "The nearest passing schedule:\n"));
    CHECK(verbose.err.empty());
}
