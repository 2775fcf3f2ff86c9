// Texts that once broke the reading of traces, or could: each is a trace, or one sentence.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "core/error.hpp"
#include "reporting/html_report.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck::testing {
namespace {

/// What reading the file says; empty if it is a trace.
std::string refusal(const std::filesystem::path& path) {
    try {
        const Trace trace = read_trace(path.string());
        CHECK(trace_from_json(to_json(trace), "again") == trace);
        CHECK(report(trace, {.all_steps = true}).find('\x1b') == std::string::npos);
        RunSummary run{.name = "fuzzed"};
        run.findings.push_back({.trace = trace, .file = "", .replay_command = ""});
        CHECK(html_report({run}).find("</script>'") == std::string::npos);
        return "";
    } catch (const Error& error) {
        const std::string sentence = error.what();
        return sentence.substr(std::min(sentence.size(), path.string().size() + 2));
    }
}

}  // namespace

TEST_CASE(
    "every text of the fuzzer's corpus is a trace, or refused in one sentence that says what is wrong") {
    // The beginning of the sentence for each kind of damage; nothing for what is sound.
    const std::map<std::string, std::string> expected = {
        {"whole.json", ""},
        {"version-1.json", ""},
        {"path-leaves-folder.json", ""},  // nothing is read or written where a trace says
        {"line-beyond-excerpt.json", ""},
        {"escape-codes.json", ""},
        {"race.json", ""},
        {"race-without-access.json", "the race's first access: \"operation\" is no access to memory"},
        {"truncated.json", "is not JSON, or not complete, from line 1"},
        {"newer-version.json", "has version 99 of the trace format"},
        {"unknown-thread.json", R"(step 2: "thread" is "T1.x", which names no thread)"},
        {"unknown-operation.json", R"(step 2: "operation" is "mutex-lick")"},
        {"unknown-key.json", "step 2 has the unknown key \"colour\""},
        {"missing-stack.json", R"(step 1: "stack" is not the number of one of the "stacks")"},
        {"decision-beyond.json", "the decision: \"step\" is not the number of a step"},
        {"huge-number.json", "the trace: \"preemptions\" is not a whole number of a sensible size"},
        {"bad-escape.json", "step 1: \"source\" has a backslash"},
        {"not-json.json", "is not JSON, or not complete, from line 1, column 1"},
        {"empty.json", "is not JSON, or not complete, from line 1, column 1"},
        {"deep.json", "lists and objects are nested deeper than in any trace"},
        {"another-format.json", "is not a trace of coopcheck"},
        {"not-utf8.json", "is not JSON, or not complete, from line 1"},
    };
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(COOPCHECK_FUZZ_CORPUS)) {
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        const std::string sentence = refusal(entry.path());
        CHECK((sentence.empty() || sentence.ends_with('.')));
        CHECK(std::count(sentence.begin(), sentence.end(), '\n') == 0);
        const auto known = expected.find(name);
        if (known == expected.end()) continue;  // found by the fuzzer: that it is one or the other is enough
        seen += 1;
        CHECK(sentence.substr(0, known->second.size()) == known->second);
        CHECK(sentence.empty() == known->second.empty());
    }
    CHECK(seen == expected.size());
}

}  // namespace coopcheck::testing
