// Races on the command line.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using namespace coopcheck::testing;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

nlohmann::json json_of(const std::string& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

const tracer::WaitStatus clean{tracer::Exited{0}};
const tracer::WaitStatus found{tracer::Exited{1}};
const tracer::WaitStatus cannot{tracer::Exited{2}};

CapturedRun explore(const std::vector<std::string>& options, const std::string& program,
                    const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> words{"explore", "--races", "every", "--bound", "1"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(tracer::test::target("races/" + program));
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_coopcheck(words);
}

/// The file that a search leaves for the next one.
std::string learnt_in(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("learnt-")) return entry.path().string();
    }
    return "";
}

}  // namespace

TEST_CASE(
    "explore finds an update that is lost without locks, and the race it comes from, and replays both") {
    const TemporaryFolder folder;
    const CapturedRun run = explore({"--out", folder.path().string()}, "split_sync");
    CHECK(run.end == found);
    CHECK(contains(run.out, "Assertion `x == 2' failed."));
    CHECK(contains(run.out, "race on x between T0.1 and T0.2"));
    CHECK(contains(run.out, "T0.1 writes 4 bytes (0x0 -> 0x1), with no lock  at add split_sync.c:10"));
    const CapturedRun failure = run_coopcheck({"replay", folder.file("trace.json")});
    CHECK(contains(failure.out, "reproduced: assertion in T0"));
    const CapturedRun race = run_coopcheck({"replay", folder.file("trace-2.json")});
    CHECK(race.end == found);
    CHECK(contains(race.out, "reproduced: race on x between T0.1 and T0.2"));
}

TEST_CASE(
    "the trace of a race has both accesses, a schedule that ends before them, and can be minimized and "
    "shown") {
    const TemporaryFolder folder;
    CHECK(explore({"--out", folder.path().string()}, "c_races", {"wrong_lock", "racy"}).end == found);
    const Trace trace = read_trace(folder.file("trace.json"));
    CHECK(trace.finding.kind == FindingKind::Race);
    REQUIRE(trace.finding.race);
    const TraceRace& race = *trace.finding.race;
    CHECK_FALSE(race.apart);
    // One of the two has to be left while it is about to make its access; that is the fewest.
    CHECK(trace.preemptions == 1);
    CHECK(trace.minimal);
    CHECK(race.first.thread != race.second.thread);
    CHECK(race.first.locks != race.second.locks);
    for (const TraceAccess* access : {&race.first, &race.second}) {
        CHECK(access->size == 4);
        CHECK(access->locks.size() == 1);
        CHECK(access->stack > 0);
        CHECK(contains(access->instruction, "c_races+0x"));
        CHECK_FALSE(access->before.empty());
    }
    const CapturedRun minimized =
        run_coopcheck({"minimize", folder.file("trace.json"), "-o", folder.file("small.json")});
    CHECK(minimized.end == found);
    CHECK(contains(minimized.out, "the number of preemptions is proved minimal"));
    CHECK(run_coopcheck({"replay", folder.file("small.json")}).end == found);
    const CapturedRun shown = run_coopcheck({"show", folder.file("trace.json")});
    CHECK(contains(shown.out, "race on x between"));
    CHECK(contains(shown.out, "holding mutex"));
    CHECK(contains(shown.out, "holding other_mutex"));
}

TEST_CASE("a race with free() is reported from the schedule that was watched, and replays") {
    const TemporaryFolder folder;
    CHECK(explore({"--out", folder.path().string()}, "c_races", {"freed", "racy"}).end == found);
    bool any = false;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        if (!entry.path().filename().string().starts_with("trace")) continue;
        const Trace trace = read_trace(entry.path().string());
        const bool frees =
            trace.finding.race && (trace.finding.race->first.freed || trace.finding.race->second.freed);
        if (!frees) continue;
        any = true;
        CHECK(trace.finding.race->apart);
        const CapturedRun again = run_coopcheck({"replay", entry.path().string()});
        CHECK(again.end == found);
        CHECK(contains(again.out, "reproduced: race on"));
    }
    CHECK(any);
}

TEST_CASE("memory of the heap is named by its type and member, and where it was allocated") {
    const TemporaryFolder folder;
    CHECK(explore({"--out", folder.path().string()}, "c_races", {"heap", "racy"}).end == found);
    const Trace trace = read_trace(folder.file("trace.json"));
    REQUIRE(trace.finding.race);
    REQUIRE(trace.finding.race->allocation);
    CHECK(trace.finding.race->allocation->thread == "T0");
    CHECK(contains(trace.finding.race->allocation->source, "c_races.c:"));
    CHECK(trace.labels.contains(trace.finding.race->second.operation.location));
}

TEST_CASE("without watching explore does not see it, and says that it has not checked") {
    const CapturedRun run =
        run_coopcheck({"explore", "--races", "off", tracer::test::target("races/split_sync")});
    CHECK(run.end == clean);
    CHECK(contains(run.out, "shared data is accessed under locks (not checked)"));
}

TEST_CASE("the claim says in how many schedules the accesses were checked") {
    const CapturedRun run = explore({}, "c_races", {"counter", "fixed"});
    CHECK(run.end == clean);
    CHECK(contains(run.out, "shared data is accessed under locks (checked in every schedule: yes)"));
}

TEST_CASE("races count for a limit on findings that was asked for, and not for the one that is not") {
    const TemporaryFolder folder;
    const CapturedRun one = explore({"--max-findings", "1", "--out", folder.path().string()}, "split_sync");
    CHECK(one.end == found);
    CHECK(contains(one.out, "stopped at the limit on findings"));
    CHECK_FALSE(contains(one.out, "Assertion"));
    // What is suppressed does not count.
    write(folder.file("races.supp"), "object:x\n");
    const CapturedRun other = explore(
        {"--max-findings", "1", "--suppress", folder.file("races.supp"), "--out", folder.path().string()},
        "split_sync");
    CHECK(other.end == found);
    CHECK(contains(other.out, "Assertion"));
    CHECK_FALSE(contains(other.out, "race on"));
}

TEST_CASE(
    "suppressed races are counted, make no exit code and are part of the claim; what matched nothing is "
    "said") {
    const TemporaryFolder folder;
    const std::string list = folder.file("races.supp");
    for (const char* line : {"object:x", "function:count*", "file:c_races.c", "file:*/races/*"}) {
        CAPTURE(line);
        write(list, std::string("# known\n\n") + line + "  # why not\nobject:nothing\n");
        const CapturedRun run =
            explore({"--suppress", list, "--out", folder.file("out"), "--json", folder.file("r.json")},
                    "c_races", {"counter", "racy"});
        CHECK(run.end == clean);
        CHECK(contains(run.out, "1 race suppressed by "));
        CHECK(contains(run.out, "object:nothing, line 4 of "));
        CHECK(contains(run.out, "suppressed nothing\n"));
        CHECK(contains(run.out, "1 race is suppressed"));
        const nlohmann::json report = json_of(folder.file("r.json"))["runs"][0];
        CHECK(report["exit_code"] == 0);
        CHECK(report["counts"]["races_suppressed"] == 1);
        CHECK(report["findings"].empty());
    }
    write(list, "object:y\n");
    CHECK(explore({"--suppress", list, "--out", folder.file("out")}, "c_races", {"counter", "racy"}).end ==
          found);
}

TEST_CASE("a suppression that is none is one sentence with its line") {
    const TemporaryFolder folder;
    const std::string list = folder.file("races.supp");
    write(list, "object:x\nvariable:x\n");
    const CapturedRun bad = explore({"--suppress", list}, "split_sync");
    CHECK(bad.end == cannot);
    CHECK(bad.err == "coopcheck: " + list +
                         ", line 2: 'variable:x' is no suppression; a line is function:NAME, object:NAME or "
                         "file:PATTERN.\n");
    write(list, "object:  # nothing\n");
    CHECK(contains(explore({"--suppress", list}, "split_sync").err, "line 1: nothing follows 'object:'"));
    const CapturedRun missing = explore({"--suppress", folder.file("none")}, "split_sync");
    CHECK(missing.end == cannot);
    CHECK(contains(missing.err, "The suppressions cannot be read"));
}

TEST_CASE("storage is shown by its classes") {
    const TemporaryFolder folder;
    const auto rows_of = [&](const std::vector<std::string>& arguments) {
        const CapturedRun run =
            explore({"--show-storage", "--keep-going", "--out", folder.file(arguments.front()), "--json",
                     folder.file("report.json")},
                    "c_races", arguments);
        CHECK(contains(run.out, "storage, as "));
        nlohmann::json rows;
        const nlohmann::json report = json_of(folder.file("report.json"));
        for (const nlohmann::json& row : report["runs"][0]["storage"])
            rows[row["memory"].get<std::string>()] = row;
        return rows;
    };
    const nlohmann::json racy = rows_of({"counter", "racy"});
    CHECK(racy["x"]["class"] == "unprotected");
    CHECK(racy["x"]["bytes"] == 4);
    const nlohmann::json fixed = rows_of({"counter", "fixed"});
    CHECK(fixed["x"]["class"] == "protected");
    CHECK(fixed["x"]["locks"] == nlohmann::json::array({"mutex"}));
    const nlohmann::json atomic = rows_of({"atomic_counter", "fixed"});
    bool any = false;
    for (const auto& [memory, row] : atomic.items()) any = any || row["class"] == "atomic";
    CHECK(any);
}

TEST_CASE(
    "what was learnt is kept for the next search; what is damaged or about something else is not believed") {
    const TemporaryFolder folder;
    const std::string out = folder.file("out");
    const CapturedRun first = explore({"--out", out}, "split_sync");
    CHECK(first.err.empty());
    const std::string learnt = learnt_in(out);
    REQUIRE_FALSE(learnt.empty());
    const std::string kept = text_of(learnt);
    CHECK(json_of(learnt)["visible"][0] == "x");
    const CapturedRun second = explore({"--out", out}, "split_sync");
    CHECK(second.end == found);
    CHECK(second.err.empty());
    CHECK(contains(second.out, "race on x between"));
    CHECK(text_of(learnt) == kept);

    const std::string refused = "coopcheck: what was learnt before is not used: " + learnt;
    std::string changed = kept;
    changed.replace(changed.find("\"x\""), 3, "\"y\"");
    for (const std::string& damaged : {kept.substr(0, kept.size() / 2), std::string("[]"), changed}) {
        write(learnt, damaged);
        const CapturedRun run = explore({"--out", out}, "split_sync");
        CHECK(run.end == found);
        CHECK(run.err.starts_with(refused));
        CHECK(text_of(learnt) == kept);
    }
    const CapturedRun other = explore({"--out", out}, "split_sync", {"argument"});
    CHECK(contains(other.err, "is about other arguments; the search begins without it."));
}

TEST_CASE("schedules are watched unless it is said otherwise, and a program with locks comes out complete") {
    const CapturedRun run = run_coopcheck({"explore", "--bound", "2", corpus("philosophers_fixed")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{0}));
    CHECK(contains(run.out, "complete"));
    // Two of each number of preemptions at least.
    CHECK(contains(run.out, "shared data is accessed under locks (checked in "));
    CHECK(contains(run.out, ": yes)"));
    const CapturedRun blocks =
        run_coopcheck({"explore", "--strategy", "exitblock", "--bound", "2", corpus("philosophers_fixed")});
    CHECK(contains(blocks.out, " schedules: yes)"));
}

TEST_CASE("what was learnt in a look at other places is visible to the search that begins again") {
    // The race shows only in schedules that are far from the first ones; the additions get lost only if
    // accesses to x are operations, of the search and of the next look.
    const TemporaryFolder folder;
    const CapturedRun run = run_coopcheck({"explore", "--schedules", "2000", "--out", folder.path().string(),
                                           tracer::test::target("races/late_race")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{1}));
    CHECK(contains(run.out, "race on x between"));
    CHECK(contains(run.out, "Assertion `x == additions' failed."));
}

TEST_CASE("a search that watches is gone on with, and says in the end what one without interruption says") {
    const TemporaryFolder folder;
    const std::string file = folder.file("search");
    const std::vector<std::string> program{tracer::test::target("races/lock_free"), "ticket", "correct"};
    const auto explore = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"explore", "--bound", "1"});
        words.insert(words.end(), program.begin(), program.end());
        return run_coopcheck(words);
    };
    const CapturedRun whole = explore({});
    REQUIRE(whole.end == tracer::WaitStatus(tracer::Exited{0}));
    std::size_t parts = 1;
    for (;; ++parts) {
        const CapturedRun part = explore({"--resume", file, "--schedules", "7"});
        if (part.end == tracer::WaitStatus(tracer::Exited{0})) {
            // What was covered is not kept.
            CHECK(part.out.substr(0, part.out.find("coverage:")) ==
                  whole.out.substr(0, whole.out.find("coverage:")));
            break;
        }
        REQUIRE(part.end == tracer::WaitStatus(tracer::Exited{3}));
        REQUIRE(parts < 100);
    }
    CHECK(parts > 2);
}

TEST_CASE("a program that cannot be watched is explored all the same, and the claim says why it was not") {
    const CapturedRun run =
        run_coopcheck({"explore", "--schedules", "1", tracer::test::target("use_after_free")});
    CHECK(run.end == tracer::WaitStatus(tracer::Exited{3}));
    CHECK(contains(run.out, "built with a sanitizer cannot be watched"));
}
