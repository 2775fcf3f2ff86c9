// JSON, JUnit, SARIF and the page, by their structure.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <string>

#include "reporting/html_report.hpp"
#include "reporting/junit.hpp"
#include "reporting/sarif.hpp"
#include "reporting/summary_json.hpp"
#include "tests/reporting/bank_trace.hpp"
#include "tests/reporting/sample_trace.hpp"

namespace coopcheck::testing {
namespace {

using Json = nlohmann::json;

RunSummary bank_run() {
    RunSummary run{.tool = "coopcheck 0.0.0", .name = "bank"};
    run.program = bank_trace().program;
    run.strategy = "exitblock";
    run.findings = {{.trace = bank_trace(),
                     .file = "out/trace.json",
                     .replay_command = "coopcheck replay out/trace.json"}};
    run.claims = {"incomplete: stopped at the first finding."};
    run.exit_code = 1;
    run.seconds = 0.5;
    run.counts = {{"complete", 7}};
    run.paths_at_bound = {3, 4};
    run.progress = {{.seconds = 0.1, .schedules = 1}, {.seconds = 0.2, .schedules = 7, .bound = 1}};
    run.estimates = {{.bound = 0, .log10_schedules = 1.5, .relative_error = 0.1, .walks = 20}};
    run.coverage = {{.function = "f", .by = "g", .interrupted = true, .covered = true}};
    return run;
}

RunSummary clean_run() {
    RunSummary run{.tool = "coopcheck 0.0.0", .name = "bank_fixed"};
    run.claims = {"complete: all schedules (3 run, 0 pruned)."};
    run.complete = true;
    return run;
}

RunSummary cut_run() {
    RunSummary run{.tool = "coopcheck 0.0.0", .name = "large"};
    run.claims = {"incomplete: the time limit was reached."};
    run.exit_code = 3;
    return run;
}

RunSummary refused_run() {
    RunSummary run{.tool = "coopcheck 0.0.0", .name = "odd"};
    run.error = "no such program";
    run.exit_code = 2;
    return run;
}

}  // namespace

TEST_SUITE("reports for machines") {
    TEST_CASE("JSON has the findings with their places, and the counts") {
        const Json json = Json::parse(summary_json({bank_run(), clean_run()}));
        CHECK(json["format"] == "coopcheck-report");
        CHECK(json["runs"].size() == 2);
        const Json& run = json["runs"][0];
        CHECK(run["exit_code"] == 1);
        CHECK(run["counts"]["complete"] == 7);
        CHECK(run["paths_at_bound"] == Json::array({3, 4}));
        const Json& finding = run["findings"][0];
        CHECK(finding["kind"] == "deadlock");
        CHECK(finding["place"]["file"] == "bank.cpp");
        CHECK(finding["place"]["path"] == "/src/bank.cpp");
        CHECK(finding["place"]["line"] == 15);
        CHECK(finding["place"]["function"] == "transfer");
        CHECK(finding["cycle"] == "T0.2 -> a.mutex -> T0.1 -> b.mutex -> T0.2");
        CHECK(finding["decisive_step"] == 6);
        CHECK(finding["replay"] == "coopcheck replay out/trace.json");
        CHECK(json["runs"][1]["findings"].empty());
        CHECK(json["runs"][1]["complete"] == true);
    }

    TEST_CASE("JUnit has a case for each program: failed, good, skipped, in error") {
        pugi::xml_document document;
        REQUIRE(document.load_string(junit_xml({bank_run(), clean_run(), cut_run(), refused_run()}).c_str()));
        const pugi::xml_node suite = document.child("testsuites").child("testsuite");
        CHECK(suite.attribute("tests").as_int() == 4);
        CHECK(suite.attribute("failures").as_int() == 1);
        CHECK(suite.attribute("errors").as_int() == 1);
        CHECK(suite.attribute("skipped").as_int() == 1);
        const auto test = [&](const char* name) {
            return suite.find_child_by_attribute("testcase", "name", name);
        };
        CHECK(std::string(test("bank").child("failure").attribute("message").value()) == "deadlock (cycle)");
        CHECK(std::string(test("bank").child("failure").text().get()).find("a.mutex") != std::string::npos);
        CHECK(!test("bank_fixed").child("failure"));
        CHECK(!test("bank_fixed").child("skipped"));
        CHECK(test("large").child("skipped"));
        CHECK(std::string(test("odd").child("error").attribute("message").value()) == "no such program");
    }

    TEST_CASE("what is only predicted is no failure") {
        RunSummary run = clean_run();
        run.findings = {{.trace = bank_trace()}};
        run.findings[0].trace.finding.confirmed = false;
        pugi::xml_document document;
        REQUIRE(document.load_string(junit_xml({run}).c_str()));
        CHECK(document.select_nodes("//failure").empty());
    }

    TEST_CASE("SARIF has a code flow whose thread flows carry the order of execution") {
        const Json json = Json::parse(sarif_json({bank_run(), refused_run()}));
        CHECK(json["version"] == "2.1.0");
        REQUIRE(json["runs"].size() == 2);
        const Json& run = json["runs"][0];
        CHECK(run["tool"]["driver"]["name"] == "coopcheck");
        const Json& result = run["results"][0];
        CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] ==
              result["ruleId"]);
        CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
              "file:///src/bank.cpp");
        CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 15);
        const Json& flows = result["codeFlows"][0]["threadFlows"];
        CHECK(flows.size() == 3);
        std::multiset<std::size_t> order;
        for (const Json& flow : flows) {
            std::size_t last = 0;
            for (const Json& location : flow["locations"]) {
                const auto now = location["executionOrder"].get<std::size_t>();
                CHECK(now > last);
                last = now;
                order.insert(now);
            }
        }
        // Six steps one after the other; both waits at the end.
        CHECK(order == std::multiset<std::size_t>{1, 2, 3, 4, 5, 6, 7, 7});
        CHECK(json["runs"][1]["invocations"][0]["executionSuccessful"] == false);
    }

    TEST_CASE("SARIF and JSON have both accesses of a race") {
        RunSummary run{.tool = "coopcheck 0.0.0", .name = "list"};
        run.findings = {{.trace = race_trace(), .file = "out/trace.json", .replay_command = ""}};
        run.undisciplined = {race_trace()};
        run.suppressions = {"1 race suppressed by list.supp (object:x: 1)"};
        run.storage = {
            {.memory = "x", .storage = "protected", .locks = {"m"}, .threads = {"T0"}, .bytes = 4}};
        run.exit_code = 1;
        const Json result = Json::parse(sarif_json({run}))["runs"][0]["results"][0];
        CHECK(result["ruleId"] == "race");
        REQUIRE(result["locations"].size() == 2);
        CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 20);
        CHECK(result["locations"][1]["physicalLocation"]["region"]["startLine"] == 10);
        CHECK(result["locations"][1]["message"]["text"] ==
              "T0.1 writes 4 bytes (0x0 -> 0x2a), holding list.lock");
        std::set<std::string> last;
        for (const Json& flow : result["codeFlows"][0]["threadFlows"]) {
            if (flow["locations"].back()["executionOrder"] == 4) last.insert(flow["id"]);
        }
        CHECK(last == std::set<std::string>{"T0.1", "T0.2"});

        const Json summary = Json::parse(summary_json({run}))["runs"][0];
        const Json& race = summary["findings"][0]["race"];
        CHECK(race["object"] == "Node.value");
        CHECK(race["side_by_side"] == true);
        CHECK(race["accesses"][0]["locks"] == Json::array({"list.lock"}));
        CHECK(race["accesses"][0]["stack"] == Json::array({"push list.c:10", "fill list.c:14"}));
        CHECK(race["accesses"][1]["place"]["line"] == 20);
        CHECK(race["allocation"]["size"] == 24);
        CHECK(summary["undisciplined"][0]["object"] == "Node.value");
        CHECK(summary["suppressions"].size() == 1);
        CHECK(summary["storage"][0]["class"] == "protected");
        pugi::xml_document document;
        REQUIRE(document.load_string(junit_xml({run}).c_str()));
        CHECK(std::string(document.select_node("//failure").node().attribute("type").value()) == "race");
    }

    TEST_CASE("the page needs nothing but itself, and its data cannot end its script") {
        RunSummary run = bank_run();
        run.findings[0].trace.finding.message = "</script><script>alert(1)</script><!--";
        const std::string page = html_report({run, clean_run()});
        CHECK(page.starts_with("<!doctype html>"));
        CHECK(page.find("alert(1)") != std::string::npos);
        CHECK(page.find("<script>alert") == std::string::npos);
        const std::size_t begin = page.find("id=\"data\">") + 10;
        const Json data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
        CHECK(data["findings"].size() == 2);
        CHECK(data["findings"][0][0]["trace"]["steps"].size() == 6);
        CHECK(data["findings"][0][0]["words"]["steps"][3] == "lock a.mutex");
        CHECK(data["report"]["runs"][1]["name"] == "bank_fixed");
        for (const char* outside : {"http://", "https://", " src=", "@import", "url("}) {
            CAPTURE(outside);
            // SVG is named by an address that nobody fetches.
            std::string rest = page;
            const std::string name = "http://www.w3.org/2000/svg";
            rest.erase(rest.find(name), name.size());
            CHECK(rest.find(outside) == std::string::npos);
        }
    }
}

}  // namespace coopcheck::testing
