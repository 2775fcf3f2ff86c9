// explore, replay and show on real programs.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

namespace fs = std::filesystem;

/// The programs of the corpus that have a fixed twin.
std::vector<std::string> broken_programs() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(COOPCHECK_CORPUS_FOLDER)) {
        const std::string name = entry.path().string();
        if (fs::is_regular_file(entry) && fs::exists(name + "_fixed")) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::set<std::string> files_in(const TemporaryFolder& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        names.insert(entry.path().filename().string());
    return names;
}

std::string last_line(const std::string& text) {
    const std::size_t before = text.rfind('\n', text.size() < 2 ? 0 : text.size() - 2);
    return text.substr(before == std::string::npos ? 0 : before + 1);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The lines of a report that are steps: they begin with a number.
std::vector<std::string> steps_in(const std::string& text) {
    std::vector<std::string> steps;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos && first > 0 &&
            std::isdigit(static_cast<unsigned char>(line[first])) != 0) {
            steps.push_back(line);
        }
    }
    return steps;
}

/// Makes stdin this text.
std::function<void()> with_input(const std::string& text) {
    return [text] {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0 || ::write(ends[1], text.data(), text.size()) < 0) ::_exit(126);
        ::close(ends[1]);
        ::dup2(ends[0], STDIN_FILENO);
    };
}

/// The trace of the program that replay is tested with.
Trace explore_replayed(const TemporaryFolder& folder, const std::string& input = "") {
    const CapturedRun run =
        run_coopcheck({"explore", "--out", folder.path(), target("replayed")}, with_input(input));
    REQUIRE(run.end == WaitStatus(Exited{1}));
    return read_trace(folder.file("trace.json"));
}

}  // namespace

TEST_CASE("every broken program of the corpus is reproduced from its trace, 50 times of 50") {
    const std::vector<std::string> programs = broken_programs();
    CHECK(programs.size() >= 6);
    for (const std::string& program : programs) {
        CAPTURE(program);
        const TemporaryFolder folder;
        const CapturedRun explored = run_coopcheck({"explore", "--out", folder.path(), program});
        CHECK(explored.end == WaitStatus(Exited{1}));
        CHECK(files_in(folder) == std::set<std::string>{"report.html", "trace.json"});
        CHECK(
            contains(explored.out, "  replay it with: coopcheck replay " + folder.file("trace.json") + "\n"));

        const CapturedRun replayed = run_coopcheck({"replay", folder.file("trace.json"), "--times", "50"});
        CHECK(replayed.end == WaitStatus(Exited{1}));
        CHECK(contains(replayed.out, "\nreproduced: "));
        CHECK(last_line(replayed.out) == "the same 50 of 50 times\n");
        CHECK(steps_in(replayed.out).size() == read_trace(folder.file("trace.json")).steps.size());

        const CapturedRun shown = run_coopcheck({"show", folder.file("trace.json")});
        CHECK(shown.end == WaitStatus(Exited{0}));
        // The same report, in the same words.
        CHECK(explored.out.starts_with(shown.out.substr(0, shown.out.find("program: "))));
    }
}

TEST_CASE("nothing is written but the page when nothing is found, and not even that if it is not wanted") {
    const TemporaryFolder folder;
    const std::string out = folder.file("out");
    const std::string program = std::string(COOPCHECK_CORPUS_FOLDER) + "/lost_wakeup_fixed";
    CHECK(run_coopcheck({"explore", "--no-page", "--out", out, program}).end == WaitStatus(Exited{0}));
    CHECK(!fs::exists(out));
    CHECK(run_coopcheck({"explore", "--out", folder.path(), program}).end == WaitStatus(Exited{0}));
    CHECK(files_in(folder) == std::set<std::string>{"report.html"});
}

TEST_CASE("several findings have a trace each") {
    const TemporaryFolder folder;
    const CapturedRun run = run_coopcheck({"explore", "--keep-going", "--out", folder.path(),
                                           std::string(COOPCHECK_CORPUS_FOLDER) + "/if_instead_of_while"});
    CHECK(run.end == WaitStatus(Exited{1}));
    std::set<std::string> expected;
    std::size_t findings = 0;
    for (std::size_t at = run.out.find("replay it with: "); at != std::string::npos;
         at = run.out.find("replay it with: ", at + 1)) {
        findings += 1;
        expected.insert(findings == 1 ? "trace.json" : "trace-" + std::to_string(findings) + ".json");
    }
    CHECK(findings > 1);
    std::set<std::string> files = files_in(folder);
    CHECK(files.erase("report.html") == 1);
    CHECK(files == expected);
    for (const std::string& name : expected) {
        CHECK(run_coopcheck({"replay", folder.file(name)}).end == WaitStatus(Exited{1}));
    }
}

TEST_CASE("a finding is reported although its trace cannot be written") {
    const CapturedRun run = run_coopcheck({"explore", "--out", "/proc/nowhere", target("replayed")});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(contains(run.out, "deadlock (cycle)"));
    CHECK(contains(run.out,
                   "there is no trace of this. Cannot write the trace /proc/nowhere/trace.json: "
                   "No such file or directory; choose another folder with --out."));
}

TEST_CASE("a trace follows a program that was built again after an unrelated change") {
    const TemporaryFolder folder;
    const Trace trace = explore_replayed(folder);
    const CapturedRun run =
        run_coopcheck({"replay", folder.file("trace.json"), "--", target("replayed_rebuilt")});
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(contains(run.out, "\nreproduced: deadlock (cycle)\n"));
    CHECK(steps_in(run.out).size() == trace.steps.size());
}

TEST_CASE("a trace leaves a program that was changed at the step that is not the same") {
    const TemporaryFolder folder;
    const Trace trace = explore_replayed(folder);
    const auto first = std::find_if(trace.steps.begin(), trace.steps.end(), [](const TraceStep& step) {
        return step.thread == "T0.2" && step.operation.kind == OpKind::MutexLock;
    });
    REQUIRE(first != trace.steps.end());
    const CapturedRun run =
        run_coopcheck({"replay", folder.file("trace.json"), "--", target("replayed_changed")});
    CHECK(run.end == WaitStatus(Exited{3}));
    CHECK(contains(run.out, "\ndiverged at step " + std::to_string(first - trace.steps.begin() + 1) +
                                ": expected T0.2 to do pthread_mutex_lock(T0/mutex#1), but T0.2 is at "
                                "pthread_mutex_lock(more)  at backward replayed.c:33\n"
                                "  likely cause: the program was changed and built again (build id " +
                                trace.program.build_id.substr(0, 12) + " then, "));
}

TEST_CASE("the fixed twin of a program with a wrong assertion follows the trace to a good end") {
    const TemporaryFolder folder;
    const std::string program = std::string(COOPCHECK_CORPUS_FOLDER) + "/reorder";
    CHECK(run_coopcheck({"explore", "--out", folder.path(), program}).end == WaitStatus(Exited{1}));
    const CapturedRun run = run_coopcheck({"replay", folder.file("trace.json"), "--", program + "_fixed"});
    CHECK(run.end == WaitStatus(Exited{0}));
    CHECK(contains(
        run.out, "\na good end: the program followed the trace, and did not come to its finding: assertion"));
}

TEST_CASE("a replay gives the program the arguments and the input of the trace") {
    const TemporaryFolder folder;
    const CapturedRun explored =
        run_coopcheck({"explore", "--out", folder.path(), target("replayed"), "--flag", "two words"},
                      with_input("hello \xff\n"));
    CHECK(explored.end == WaitStatus(Exited{1}));
    const Trace trace = read_trace(folder.file("trace.json"));
    CHECK(trace.program.arguments == std::vector<std::string>{"--flag", "two words"});
    REQUIRE(trace.program.input);
    CHECK(trace.program.input->text == "hello \xff\n");
    const CapturedRun run = run_coopcheck({"replay", folder.file("trace.json")}, with_input("other\n"));
    CHECK(run.end == WaitStatus(Exited{1}));
    CHECK(contains(run.out, "    read: hello \\xff\n"));
}

TEST_CASE("input that is too large for the trace is asked for again, and another one is refused") {
    const TemporaryFolder folder;
    const std::string large = "start\n" + std::string(20'000, 'x');
    const Trace trace = explore_replayed(folder, large);
    REQUIRE(trace.program.input);
    CHECK(!trace.program.input->text);
    CHECK(trace.program.input->bytes == large.size());
    CHECK(run_coopcheck({"replay", folder.file("trace.json")}, with_input(large)).end ==
          WaitStatus(Exited{1}));
    const CapturedRun other = run_coopcheck({"replay", folder.file("trace.json")}, with_input("other\n"));
    CHECK(other.end == WaitStatus(Exited{2}));
    CHECK(
        contains(other.err,
                 "coopcheck: The program of the trace read 20006 bytes of input, which are too many for the "
                 "trace; give it the same input again."));
}

TEST_CASE("a replay stops where it is told and says where the threads are") {
    const TemporaryFolder folder;
    const Trace trace = explore_replayed(folder);
    const CapturedRun run = run_coopcheck({"replay", folder.file("trace.json"), "--until", "3"});
    CHECK(run.end == WaitStatus(Exited{0}));
    CHECK(steps_in(run.out).size() == 2);
    CHECK(contains(run.out, "\nstopped before step 3, with the threads at\n"));
    const std::string too_far = std::to_string(trace.steps.size() + 2);
    const CapturedRun beyond = run_coopcheck({"replay", folder.file("trace.json"), "--until", too_far});
    CHECK(beyond.end == WaitStatus(Exited{2}));
    CHECK(beyond.err == "coopcheck: The trace has " + std::to_string(trace.steps.size()) +
                            " steps; --until can be at most " + std::to_string(trace.steps.size() + 1) +
                            ".\n");
}

TEST_CASE("a program that is gone has to be named") {
    const TemporaryFolder folder;
    Trace trace = explore_replayed(folder);
    trace.program.path = "./gone";
    trace.program.absolute_path = "/nowhere/gone";
    write_trace(trace, folder.file("gone.json"));
    const CapturedRun run = run_coopcheck({"replay", folder.file("gone.json")});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.err ==
          "coopcheck: The program of the trace, ./gone, is not here any more; name it after --.\n");
    CHECK(run_coopcheck({"replay", folder.file("gone.json"), "--", target("replayed")}).end ==
          WaitStatus(Exited{1}));
}

TEST_CASE("a file that is no trace is refused in one sentence, by replay and by show") {
    const TemporaryFolder folder;
    std::ofstream(folder.file("text")) << "hello\n";
    std::ofstream(folder.file("newer")) << R"({"format": "coopcheck-trace", "version": 99})";
    const std::string name = folder.file("text");
    const std::vector<std::pair<std::string, std::string>> refusals = {
        {folder.file("missing"), "Cannot read the trace " + folder.file("missing") +
                                     ": No such file or directory; traces are written by coopcheck explore."},
        {folder.path(), folder.path().string() + " is a folder; name the trace file in it."},
        {name,
         name +
             ": is not JSON, or not complete, from line 1, column 1 on; make the trace anew with coopcheck "
             "explore."},
        {folder.file("newer"),
         folder.file("newer") + ": has version 99 of the trace format, this coopcheck reads up to version " +
             std::to_string(trace_version) +
             "; use a "
             "newer coopcheck."},
        {"/dev/zero", "/dev/zero: is larger than any trace; name a trace written by coopcheck explore."},
    };
    for (const auto& [file, sentence] : refusals) {
        for (const char* command : {"replay", "show"}) {
            const CapturedRun run = run_coopcheck({command, file});
            CHECK(run.end == WaitStatus(Exited{2}));
            CHECK(run.out.empty());
            CHECK(run.err == "coopcheck: " + sentence + "\n");
        }
    }
}
