#include "reporting/trace_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "reporting/trace_names.hpp"
#include "tests/reporting/sample_trace.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {
namespace {

Trace round_trip(const Trace& trace) { return trace_from_json(to_json(trace), "test"); }

/// The Error that reading the text gives; empty if it is a trace.
std::string refusal(const std::string& text) {
    try {
        static_cast<void>(trace_from_json(text, "t.json"));
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

/// The refusal of the full trace after a change of its JSON.
template <typename Change>
std::string refusal_after(Change&& change) {
    nlohmann::json json = nlohmann::json::parse(to_json(full_trace()));
    change(json);
    return refusal(json.dump());
}

const std::string make_anew = "; make the trace anew with coopcheck explore.";

template <typename Enumeration>
std::vector<Enumeration> all_values(std::size_t count) {
    std::vector<Enumeration> all;
    for (std::size_t value = 0; value < count; ++value) {
        all.push_back(static_cast<Enumeration>(value));
    }
    return all;
}

}  // namespace

TEST_SUITE("trace file") {
    TEST_CASE("a trace with something in every field survives the file, bytes that are not UTF-8 included") {
        CHECK(round_trip(full_trace()) == full_trace());
        CHECK(to_json(round_trip(full_trace())) == to_json(full_trace()));
    }

    TEST_CASE("every kind of finding, misuse, operation, variant and switch survives the file") {
        for (const FindingKind kind : all_values<FindingKind>(8)) {
            Trace trace = full_trace();
            trace.finding.kind = kind;
            if (kind != FindingKind::Deadlock) {
                trace.finding.waits.clear();
                trace.finding.is_cycle = false;
                trace.finding.thread = "T0.1";
                trace.finding.operation = TraceOperation{.kind = OpKind::Failure};
                trace.finding.source = "f g.c:1";
            }
            CHECK(round_trip(trace) == trace);
            CHECK(from_file_name<FindingKind>(file_name(kind)) == kind);
        }
        for (const Misuse misuse : all_values<Misuse>(14)) {
            Trace trace = full_trace();
            trace.finding = {.kind = FindingKind::Misuse,
                             .thread = "T0",
                             .misuse = misuse,
                             .operation = TraceOperation{.kind = OpKind::MutexUnlock, .object = "m"}};
            CHECK(round_trip(trace) == trace);
        }
        for (const OpKind kind : all_values<OpKind>(op_kind_count)) {
            Trace trace = full_trace();
            trace.steps.front().operation.kind = kind;
            CHECK(round_trip(trace) == trace);
        }
        const std::vector<TraceVariant> variants = {
            {},
            {.kind = Variant::Kind::Wake, .threads = {"T0.2"}},
            {.kind = Variant::Kind::Subset, .threads = {"T0.1", "T0.2"}},
            {.kind = Variant::Kind::Timeout},
            {.kind = Variant::Kind::Spurious},
            {.kind = Variant::Kind::Value, .value = 4294967295},
            {.kind = Variant::Kind::Value, .value = 0},
            {.kind = Variant::Kind::Cancel},
        };
        for (const TraceVariant& variant : variants) {
            Trace trace = full_trace();
            trace.steps.front().variant = variant;
            CHECK(round_trip(trace) == trace);
        }
        for (const SwitchKind kind : all_values<SwitchKind>(4)) {
            CHECK(from_file_name<SwitchKind>(file_name(kind)) == kind);
        }
    }

    TEST_CASE(
        "a race survives the file with both accesses, and what is wrong with it is said with its place") {
        Trace trace = race_trace();
        CHECK(round_trip(trace) == trace);
        trace.finding.race->apart = true;
        trace.finding.race->second.freed = true;
        trace.finding.race->allocation.reset();
        CHECK(round_trip(trace) == trace);
        const auto refusal_of_race = [](const auto& change) {
            nlohmann::json json = nlohmann::json::parse(to_json(race_trace()));
            change(json["finding"]);
            return refusal(json.dump());
        };
        CHECK(refusal_of_race([](auto& finding) { finding["race"]["first"]["operation"] = "mutex-lock"; }) ==
              "t.json: the race's first access: \"operation\" is no access to memory" + make_anew);
        CHECK(refusal_of_race([](auto& finding) { finding["race"]["second"]["stack"] = 3; }) ==
              "t.json: the race's second access: \"stack\" is not the number of one of the \"stacks\"" +
                  make_anew);
        CHECK(refusal_of_race([](auto& finding) { finding["race"]["second"]["before"] = "many"; }) ==
              "t.json: the race's second access: \"before\" is not a number like 0x2a" + make_anew);
        CHECK(refusal_of_race([](auto& finding) { finding["race"].erase("second"); }) ==
              "t.json: the race has no \"second\"" + make_anew);
        CHECK(refusal_of_race([](auto& finding) { finding["kind"] = "crash"; }) ==
              "t.json: the finding has a \"race\" but is none" + make_anew);
    }

    TEST_CASE("a race of version 2, with one access, is read") {
        nlohmann::json json = nlohmann::json::parse(to_json(race_trace()));
        json["version"] = 2;
        json["finding"].erase("race");
        CHECK_FALSE(trace_from_json(json.dump(), "test").finding.race);
    }

    TEST_CASE("a trace without anything that can be left out survives the file") {
        Trace trace;
        trace.program = {.path = "a", .absolute_path = "/a"};
        trace.finding = {.kind = FindingKind::Crash, .thread = "T0", .operation = TraceOperation{}};
        CHECK(round_trip(trace) == trace);
    }

    TEST_CASE("every step is one line of the file") {
        const std::string text = to_json(full_trace());
        // The braces, twelve keys with their values, and four lists (steps, the passing ones, stacks, places)
        // that open and close on lines of their own.
        CHECK(std::count(text.begin(), text.end(), '\n') == 2 + 12 + (4 * 2) + (5 + 2 + 2 + 2));
        CHECK(
            text.find(
                "\n  "
                "{\"thread\":\"T0\",\"switch\":\"start\",\"operation\":\"thread-create\",\"target\":\"T0.1\","
                "\"source\":\"main file.c:9\"},\n") != std::string::npos);
    }

    TEST_CASE("a trace of version 1 is read") {
        const std::string text = R"({"format": "coopcheck-trace", "version": 1, "tool": "coopcheck 0.1.0",
            "program": {"path": "a", "absolute_path": "/a", "arguments": []},
            "options": {"timeouts": "lazy", "spurious": 0},
            "finding": {"kind": "crash", "thread": "T0", "at": {"operation": "failure"}},
            "preemptions": 0, "minimal": true,
            "steps": [{"thread": "T0", "switch": "start", "operation": "failure", "source": "main a.c:1"}]})";
        const Trace trace = trace_from_json(text, "old");
        CHECK(trace.steps.size() == 1);
        CHECK(trace.steps[0].source == "main a.c:1");
        CHECK(trace.steps[0].stack == 0);
        CHECK(!trace.decision);
        CHECK(trace.places.empty());
    }

    TEST_CASE("what is wrong with the parts that reports are made of is said with its place") {
        using Json = nlohmann::json;
        CHECK(refusal_after([](Json& json) { json["steps"][1]["stack"] = 3; }) ==
              "t.json: step 2: \"stack\" is not the number of one of the \"stacks\"" + make_anew);
        CHECK(refusal_after([](Json& json) { json["finding"]["waits"][0]["stack"] = 9; }) ==
              "t.json: wait 1: \"stack\" is not the number of one of the \"stacks\"" + make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][1]["blocks"][0] = "T1"; }) ==
              "t.json: step 2: \"blocks\" is \"T1\", which names no thread (T0, T0.1, ...)" + make_anew);
        CHECK(refusal_after([](Json& json) { json["decision"]["step"] = 0; }) ==
              "t.json: the decision: \"step\" is not the number of a step" + make_anew);
        CHECK(refusal_after([](Json& json) { json["decision"]["step"] = 7; }) ==
              "t.json: the decision: \"step\" is not the number of a step" + make_anew);
        CHECK(refusal_after([](Json& json) { json["decision"]["passing"][1]["thread"] = 1; }) ==
              "t.json: passing step 2: \"thread\" is not a text" + make_anew);
        CHECK(refusal_after([](Json& json) { json["stacks"][0] = "main"; }) ==
              "t.json: the trace: \"stacks\" is not a list" + make_anew);
        CHECK(refusal_after([](Json& json) { json["labels"] = Json::array(); }) ==
              "t.json: the trace: \"labels\" is not an object" + make_anew);
        CHECK(refusal_after([](Json& json) { json["places"][0]["line"] = -1; }) ==
              "t.json: place 1: \"line\" is not a whole number of a sensible size" + make_anew);
    }

    TEST_CASE("more steps than any schedule has are refused before they cost memory") {
        std::string text = to_json(full_trace());
        const std::size_t at = text.find("\"steps\": [") + 10;
        std::string steps;
        for (int i = 0; i < 500'001; ++i) {
            steps += "0,";
        }
        text.insert(at, steps);
        CHECK(refusal(text) == "t.json: the trace: \"steps\" has more than 500000 steps" + make_anew);
    }

    TEST_CASE("what is wrong with a trace is said with its place") {
        using Json = nlohmann::json;
        CHECK(refusal("") == "t.json: is not JSON, or not complete, from line 1, column 1 on" + make_anew);
        CHECK(refusal("{\n\"a\": }") ==
              "t.json: is not JSON, or not complete, from line 2, column 6 on" + make_anew);
        CHECK(refusal("[]") ==
              "t.json: is not a trace of coopcheck; traces are written by coopcheck explore.");
        CHECK(refusal("{\"format\": 1}") ==
              "t.json: is not a trace of coopcheck; traces are written by coopcheck explore.");
        CHECK(refusal_after([](Json& json) { json["version"] = 4; }) ==
              "t.json: has version 4 of the trace format, this coopcheck reads up to version 3; use a newer "
              "coopcheck.");
        CHECK(refusal_after([](Json& json) { json["version"] = -1; }) ==
              "t.json: has no version number" + make_anew);
        CHECK(refusal_after([](Json& json) { json.erase("steps"); }) ==
              "t.json: the trace has no \"steps\"" + make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][1]["operation"] = "mutex-lick"; }) ==
              "t.json: step 2: \"operation\" is \"mutex-lick\", which this coopcheck does not know" +
                  make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][1]["object"] = 7; }) ==
              "t.json: step 2: \"object\" is not a text" + make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][4].erase("thread"); }) ==
              "t.json: step 5 has no \"thread\"" + make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][0]["thraed"] = "T0"; }) ==
              "t.json: step 1 has the unknown key \"thraed\"" + make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][0] = "x"; }) ==
              "t.json: step 1 is not an object" + make_anew);
        for (const char* name : {"", "T", "T1", "T0.", "T0..1", "T0x", "t0", "T0.1.", "T0 "}) {
            CHECK(refusal_after([&](Json& json) { json["steps"][0]["thread"] = name; }) ==
                  "t.json: step 1: \"thread\" is \"" + std::string(name) +
                      "\", which names no thread (T0, T0.1, ...)" + make_anew);
        }
        for (const Json& number :
             {Json(-1), Json(1.5), Json("1"), Json(4294967296), Json(1e300), Json(nullptr)}) {
            CHECK(refusal_after([&](Json& json) { json["steps"][0]["occurrence"] = number; }) ==
                  "t.json: step 1: \"occurrence\" is not a whole number of a sensible size" + make_anew);
        }
        CHECK(refusal_after([](Json& json) { json["steps"][0]["result"] = -2147483649; }) ==
              "t.json: step 1: \"result\" is not a whole number of a sensible size" + make_anew);
        CHECK(refusal_after([](Json& json) { json["steps"][0]["wakes"] = {"T0"}; }) ==
              "t.json: step 1: \"wakes\" does not fit the variant" + make_anew);
        CHECK(refusal_after([](Json& json) { json["preemptions"] = 2; }) ==
              "t.json: the trace: \"preemptions\" is not the number of steps that are preemptions" +
                  make_anew);
        CHECK(refusal_after([](Json& json) { json["finding"].erase("waits"); }) ==
              "t.json: the finding is a deadlock without \"waits\"" + make_anew);
        CHECK(refusal_after([](Json& json) { json["finding"]["waits"][1]["target"] = "T"; }) ==
              "t.json: wait 2: \"target\" is \"T\", which names no thread (T0, T0.1, ...)" + make_anew);
        CHECK(
            refusal_after([](Json& json) { json["tool"] = "\\y"; }) ==
            "t.json: the trace: \"tool\" has a backslash that is followed neither by another one nor by xHH" +
                make_anew);
        CHECK(refusal_after([](Json& json) { json["program"]["input"]["text"] = "other"; }) ==
              "t.json: the program's input: \"text\" is not the input that \"bytes\" and \"hash\" tell of" +
                  make_anew);
        CHECK(refusal_after([](Json& json) { json["program"]["arguments"] = {std::string("a\0b", 3)}; }) ==
              "t.json: the program: \"arguments\" has a zero byte, which no argument can have" + make_anew);
    }

    TEST_CASE("names from a file cannot write to the terminal when an error repeats them") {
        const std::string said =
            refusal_after([](nlohmann::json& json) { json["steps"][0]["operation"] = "\x1b[2J\n"; });
        CHECK(said ==
              "t.json: step 1: \"operation\" is \"\\x1b[2J\\x0a\", which this coopcheck does not know" +
                  make_anew);
    }

    TEST_CASE("a text that nests without end is refused") {
        for (const char* piece : {"[", "{\"a\":"}) {
            std::string deep;
            for (int i = 0; i < 1'000'000; ++i) {
                deep += piece;
            }
            CHECK(refusal(deep) ==
                  "t.json: lists and objects are nested deeper than in any trace" + make_anew);
        }
    }

    TEST_CASE("every truncation of a trace is refused") {
        const std::string text = to_json(full_trace());
        // The last byte is the line end after the closing brace.
        for (std::size_t length = 0; length + 1 < text.size(); ++length) {
            const std::string said = refusal(text.substr(0, length));
            CHECK(said.starts_with("t.json: is not JSON, or not complete"));
        }
    }

    TEST_CASE(
        "a trace with random bytes changed is read or refused, and what was read can be written and read "
        "again") {
        const std::string text = to_json(full_trace());
        Random random(1);
        const auto below = [&](std::size_t count) {
            return static_cast<std::size_t>(random.below(static_cast<int>(count)));
        };
        std::size_t read = 0;
        std::size_t refused = 0;
        for (int round = 0; round < 20'000; ++round) {
            std::string changed = text;
            const std::size_t changes = 1 + below(3);
            for (std::size_t change = 0; change < changes; ++change) {
                const std::size_t at = below(changed.size());
                switch (below(4)) {
                    case 0:
                        changed[at] = static_cast<char>(below(256));
                        break;
                    case 1:
                        changed.erase(at, 1 + below(20));
                        break;
                    case 2:
                        changed.insert(at, changed.substr(below(changed.size()), 1 + below(40)));
                        break;
                    default:
                        changed[at] = "0123456789-\"\\{}[],:.eTntu"[below(25)];
                        break;
                }
            }
            try {
                const Trace trace = trace_from_json(changed, "t.json");
                read += 1;
                REQUIRE(round_trip(trace) == trace);
            } catch (const Error& error) {
                refused += 1;
                const std::string said = error.what();
                REQUIRE(said.starts_with("t.json: "));
                REQUIRE(said.ends_with("."));
                REQUIRE(said.find('\n') == std::string::npos);
            }
        }
        // Both happen, or this would prove nothing.
        CHECK(read > 100);
        CHECK(refused > 10'000);
    }
}

}  // namespace coopcheck::testing
