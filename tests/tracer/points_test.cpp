// Accesses to visible memory are operations, however they are noticed: by closing the memory, or by
// breakpoints on the instructions that were seen to make them.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "explorer/race_watch.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

struct Program {
    std::string name;
    std::vector<std::string> arguments;
};

/// Every path of the search that came to its end, in words.
class Paths : public SearchListener {
  public:
    void path(const PathReport& report) override {
        std::string text = std::to_string(static_cast<int>(report.end)) + ':';
        for (const StepRecord& step : report.steps) {
            text += ' ' + report.execution.names().threads.name(step.thread) + ' ' +
                    std::string(name(step.operation.kind));
            if (step.operation.location.kind() == Location::Kind::Memory)
                text += ' ' + std::to_string(step.operation.location.value());
            text += step.preempting ? "!" : "";
        }
        all.push_back(std::move(text));
    }
    void start_over() override { all.clear(); }

    std::vector<std::string> all;
};

struct Searched {
    std::vector<std::string> paths;
    std::vector<std::string> findings;
    std::vector<Location> visible;
    std::size_t races = 0;
    std::size_t unchecked = 0;
    bool exhausted = false;
};

Searched search(const Program& program, RacyPoints how, unsigned bound = 1) {
    TracedExecution execution(
        {.program = target("races/" + program.name), .arguments = program.arguments, .input = ""},
        {.racy_points = how});
    Paths paths;
    RaceWatch watch(execution, {.races = RaceSampling::Every}, &paths);
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = bound;
    options.spin_patience = 4;
    options.visible = watch.look_first();
    const SearchResult result = explore(execution, options, &watch);
    Searched searched{.paths = paths.all,
                      .visible = result.visible,
                      .races = watch.races().size(),
                      .unchecked = watch.paths() - watch.watched(),
                      .exhausted = result.exhausted};
    for (const Finding& finding : result.findings) {
        searched.findings.push_back(std::string(describe(finding.kind)) + " " + finding.message + " " +
                                    std::to_string(finding.preemptions));
    }
    return searched;
}

void check_same(const Program& program, unsigned bound = 1) {
    CAPTURE(program.name);
    CAPTURE(program.arguments);
    const Searched closed = search(program, RacyPoints::ClosedPages, bound);
    const Searched points = search(program, RacyPoints::Breakpoints, bound);
    REQUIRE(closed.exhausted);
    REQUIRE(points.exhausted);
    CHECK(points.unchecked == 0);
    CHECK(points.visible == closed.visible);
    CHECK(points.findings == closed.findings);
    CHECK(points.races == closed.races);
    CHECK(points.paths == closed.paths);
}

}  // namespace

TEST_SUITE("racy points") {
    TEST_CASE("breakpoints on racy instructions give the schedules and findings that closed pages give") {
        const std::vector<Program> programs{
            {"split_sync", {}},
            {"lock_free", {"ticket", "correct"}},
            {"lock_free", {"treiber", "correct"}},
            {"c_races", {"counter", "racy"}},
            {"c_races", {"flag", "racy"}},
            {"c_races", {"publication", "racy"}},
            {"c_races", {"struct_copy", "racy"}},
            {"c_races", {"text", "racy"}},
            {"c_races", {"heap", "racy"}},
            {"c_races", {"escaped", "racy"}},
            {"c_races", {"overlap", "racy"}},
            {"c_races", {"peterson", "fixed"}},
            {"cpp_races", {"string", "racy"}},
            {"cpp_races", {"atomic_counter", "fixed"}},
        };
        for (const Program& program : programs) {
            const std::string words =
                program.name + " " + (program.arguments.empty() ? "" : program.arguments[0]);
            SUBCASE(words.c_str()) { check_same(program); }
        }
    }

    TEST_CASE("an instruction that nobody has seen at work yet is learnt when it is watched") {
        const Program program{"late_access", {}};
        check_same(program, 2);
        const Searched points = search(program, RacyPoints::Breakpoints, 2);
        // The lost addition needs a switch between the two accesses of the instructions that come late.
        REQUIRE(points.findings.size() == 1);
        CHECK(points.findings.front().find("x == additions") != std::string::npos);
    }

    TEST_CASE(
        "what a thread waits for in a loop of its own becomes a place to switch at, whatever it does "
        "meanwhile") {
        for (const char* program : {"polling_counter", "spin_beside_visible", "spin_on_stack"}) {
            for (const RacyPoints how : {RacyPoints::Breakpoints, RacyPoints::ClosedPages}) {
                CAPTURE(program);
                TracedExecution execution(
                    {.program = target(std::string("races/") + program), .input = ""},
                    {.silence_limit = std::chrono::milliseconds(200), .racy_points = how});
                RaceWatch watch(execution, {});
                SearchOptions options;
                options.granularity = Granularity::Operations;
                options.bound = 1;
                options.spin_patience = 4;
                options.visible = watch.look_first();
                const SearchResult result = explore(execution, options, &watch);
                CHECK(result.exhausted);
                CHECK(result.findings.empty());
                CHECK(result.gaps == std::vector<std::string>{});
            }
        }
    }

    TEST_CASE("what a thread accesses while it is alone is no operation") {
        for (const RacyPoints how : {RacyPoints::Breakpoints, RacyPoints::ClosedPages}) {
            const Searched searched = search({"alone", {}}, how);
            CHECK(searched.exhausted);
            CHECK(searched.races == 1);
            // One write of each thread: either comes first.
            for (const std::string& path : searched.paths) {
                std::size_t writes = 0;
                for (std::size_t at = path.find(" write "); at != std::string::npos;
                     at = path.find(" write ", at + 1))
                    writes += 1;
                CHECK(writes == 2);
            }
        }
    }

    TEST_CASE("a thread that is alone and waits for memory to change is found to go round for ever") {
        for (const RacyPoints how : {RacyPoints::Breakpoints, RacyPoints::ClosedPages}) {
            TracedExecution execution(
                {.program = target("races/alone"), .arguments = {"endless"}, .input = ""},
                {.silence_limit = std::chrono::milliseconds(200), .racy_points = how});
            RaceWatch watch(execution, {});
            SearchOptions options;
            options.granularity = Granularity::Operations;
            options.bound = 1;
            options.visible = watch.look_first();
            const SearchResult result = explore(execution, options, &watch);
            REQUIRE(result.findings.size() == 1);
            CHECK(result.findings.front().kind == FindingKind::Livelock);
        }
    }

    TEST_CASE(
        "races are found in a static program, also those that functions for memory make, and none where "
        "there are none") {
        for (const char* name : {"counter", "struct_copy", "text"}) {
            SUBCASE(name) {
                CHECK(search({"c_races_static", {name, "racy"}}, RacyPoints::Breakpoints).races > 0);
                CHECK(search({"c_races_static", {name, "fixed"}}, RacyPoints::Breakpoints).races == 0);
            }
        }
    }
}
