// What blocks conflict by.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using namespace coopcheck::testing;

namespace {

struct Explored {
    std::set<std::string> findings;
    std::size_t schedules = 0;
};

Explored explore(const std::string& program, const std::string& footprint) {
    const TemporaryFolder folder;
    const std::string file = folder.file("summary.json");
    const CapturedRun run = run_coopcheck({"explore", "--unbounded", "--keep-going", "--races", "off",
                                           "--minimize-time", "0", "--footprint", footprint, "--no-page",
                                           "--out", folder.path().string(), "--json", file, corpus(program)});
    CHECK(run.err.empty());
    std::ifstream stream(file);
    const nlohmann::json summary = nlohmann::json::parse(stream).at("runs").at(0);
    CHECK(summary.at("complete").get<bool>());
    Explored outcome;
    for (const nlohmann::json& finding : summary.at("findings"))
        outcome.findings.insert(finding.at("title").get<std::string>() + " " + finding.value("cycle", ""));
    const nlohmann::json& counts = summary.at("counts");
    outcome.schedules = counts.at("complete").get<std::size_t>() + counts.at("deadlocked").get<std::size_t>();
    return outcome;
}

}  // namespace

TEST_CASE("data and pages as footprints find what locks do, and data needs no more schedules") {
    std::size_t by_locks = 0;
    std::size_t by_data = 0;
    for (const std::string program :
         {"bank", "bank_fixed", "philosophers", "philosophers_fixed", "reorder", "reorder_fixed", "splitsync",
          "splitsync_fixed", "lost_wakeup", "lost_wakeup_fixed", "if_instead_of_while",
          "if_instead_of_while_fixed", "cooperari/two_stage", "exitblock/figure_8", "exitblock/figure_10"}) {
        CAPTURE(program);
        const Explored locks = explore(program, "locks");
        const Explored data = explore(program, "data");
        const Explored pages = explore(program, "pages");
        CHECK(data.findings == locks.findings);
        CHECK(pages.findings == locks.findings);
        CHECK(data.schedules <= locks.schedules);
        CHECK(data.schedules <= pages.schedules);
        by_locks += locks.schedules;
        by_data += data.schedules;
    }
    CHECK(by_data < by_locks);
}

TEST_CASE("within a bound data says nothing more than locks, and that is said") {
    const TemporaryFolder folder;
    const auto explore = [&](const std::string& footprint) {
        return run_coopcheck({"explore", "--bound", "1", "--footprint", footprint, "--out",
                              folder.path().string(), corpus("bank_fixed")});
    };
    const CapturedRun locks = explore("locks");
    const CapturedRun data = explore("data");
    CHECK(locks.err.empty());
    CHECK(data.err.find("Within a bound data prunes no more than locks do") != std::string::npos);
    CHECK(data.out == locks.out);
    const CapturedRun bad = explore("nothing");
    CHECK(bad.end == tracer::WaitStatus(tracer::Exited{2}));
}

TEST_CASE("a fault of the program's own is one however its pages are watched") {
    for (const std::string footprint : {"locks", "data", "pages"}) {
        CAPTURE(footprint);
        const TemporaryFolder folder;
        const CapturedRun run =
            run_coopcheck({"explore", "--unbounded", "--footprint", footprint, "--minimize-time", "0",
                           "--out", folder.path().string(), tracer::test::target("protected_page")});
        CHECK(run.end == tracer::WaitStatus(tracer::Exited{1}));
        CHECK(run.out.find("SIGSEGV") != std::string::npos);
    }
}
