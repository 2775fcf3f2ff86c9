// explore --each-test: every test case of a collection as a program of its own.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::FindingKind;
using coopcheck::read_trace;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

nlohmann::json json_of(const std::string& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("each test case of doctest has a row, a JUnit case and traces of its own") {
    const TemporaryFolder folder;
    const CapturedRun run = run_coopcheck({"explore", "--each-test", "--bound", "1", "--out",
                                           folder.file("out"), "--junit", folder.file("junit.xml"), "--json",
                                           folder.file("report.json"), target("doctest_cases")});
    CHECK(run.end == WaitStatus(Exited{1}));
    const nlohmann::json runs = json_of(folder.file("report.json"))["runs"];
    REQUIRE(runs.size() == 3);
    CHECK(runs[0]["name"] == "additions under one lock");
    CHECK(runs[0]["exit_code"] == 0);
    CHECK(runs[1]["name"] == "additions under two locks, one lost");
    CHECK(runs[1]["findings"][0]["kind"] == "assertion");
    const std::string message = runs[1]["findings"][0]["message"];
    CHECK(message.find("ERROR: CHECK( add_in_two_threads(false) == 2 ) is NOT correct!") !=
          std::string::npos);
    CHECK(message.find("values: CHECK( 1 == 2 )") != std::string::npos);
    CHECK(runs[2]["findings"][0]["kind"] == "deadlock");
    for (const nlohmann::json& one : runs) {
        CHECK(run.out.find(one["name"].get<std::string>()) != std::string::npos);
    }
    pugi::xml_document document;
    REQUIRE(document.load_file(folder.file("junit.xml").c_str()));
    CHECK(document.select_nodes("//testcase").size() == 3);
    CHECK(document.select_nodes("//failure").size() == 2);
    const std::string trace = runs[2]["findings"][0]["trace"];
    CHECK(read_trace(trace).finding.kind == FindingKind::Deadlock);
    CHECK(std::filesystem::path(trace).parent_path().parent_path() == folder.file("out"));
    CHECK(run_coopcheck({"replay", trace}).end == WaitStatus(Exited{1}));
}

TEST_CASE("each test case of GoogleTest that is not disabled is explored, and a failure has its message") {
    const TemporaryFolder folder;
    const CapturedRun run = run_coopcheck({"explore", "--each-test", "--out", folder.file("out"), "--json",
                                           folder.file("report.json"), target("gtest_cases")});
    CHECK(run.end == WaitStatus(Exited{1}));
    const nlohmann::json runs = json_of(folder.file("report.json"))["runs"];
    REQUIRE(runs.size() == 3);
    CHECK(runs[0]["name"] == "Sum.Good");
    CHECK(runs[1]["name"] == "Sum.Bad");
    CHECK(runs[2]["name"] == "Sum/0.Typed");
    CHECK(runs[0]["exit_code"] == 0);
    CHECK(runs[2]["exit_code"] == 0);
    CHECK(runs[1]["findings"][0]["message"] ==
          "sum.cpp:12: Failure Expected equality of these values: sum Which is: 1 2");
}

TEST_CASE("each test case of a program made with GoogleTest itself is explored, parameters included") {
    const TemporaryFolder folder;
    const CapturedRun run =
        run_coopcheck({"explore", "--each-test", "--bound", "1", "--out", folder.file("out"), "--json",
                       folder.file("report.json"), target("googletest_cases")});
    CHECK(run.end == WaitStatus(Exited{1}));
    const nlohmann::json runs = json_of(folder.file("report.json"))["runs"];
    REQUIRE(runs.size() == 5);
    CHECK(runs[0]["name"] == "Sum.UnderOneLock");
    CHECK(runs[0]["exit_code"] == 0);
    CHECK(runs[1]["name"] == "Sum.UnderTwoLocks");
    CHECK(runs[1]["findings"][0]["kind"] == "assertion");
    const std::string message = runs[1]["findings"][0]["message"];
    CHECK(message.find("googletest_cases.cpp:38: Failure Expected equality of these values: "
                       "add_in_two_threads(false) Which is: 1 2 an addition was lost") != std::string::npos);
    CHECK(runs[1]["findings"][0]["place"]["line"] == 38);
    CHECK(runs[2]["name"] == "Locks.InOppositeOrders");
    CHECK(runs[2]["findings"][0]["kind"] == "deadlock");
    CHECK(runs[3]["name"] == "Few/Threads.AreJoined/0");
    CHECK(runs[4]["name"] == "Few/Threads.AreJoined/1");
    CHECK(runs[4]["exit_code"] == 0);
    CHECK(run_coopcheck({"replay", runs[1]["findings"][0]["trace"]}).end == WaitStatus(Exited{1}));
}

TEST_CASE("a program without tests is no collection of them") {
    const CapturedRun run = run_coopcheck({"explore", "--each-test", target("lost_update")});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.err == "coopcheck: " + target("lost_update") +
                         " is made with neither doctest nor GoogleTest; explore it without --each-test.\n");
}
