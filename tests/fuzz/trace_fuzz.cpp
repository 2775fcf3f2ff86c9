// A text from anywhere is a trace, or an Error with a sentence; nothing else. For libFuzzer (scripts/fuzz).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.hpp"
#include "reporting/dot.hpp"
#include "reporting/html_report.hpp"
#include "reporting/junit.hpp"
#include "reporting/sarif.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_file.hpp"

using namespace coopcheck;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): theirs
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    Trace trace;
    try {
        trace = trace_from_json(text, "fuzzed");
    } catch (const Error& error) {
        const std::string_view sentence = error.what();
        require(sentence.starts_with("fuzzed: ") && sentence.ends_with('.'));
        return 0;
    }
    require(trace_from_json(to_json(trace), "again") == trace);
    // Whatever it says can be shown, and cannot write to the terminal as it likes.
    for (const std::size_t width : {40U, 120U}) {
        const std::string report_text = report(trace, {.width = width, .all_steps = true});
        require(report_text.find('\x1b') == std::string::npos);
    }
    require(!wait_graph(trace).empty());
    RunSummary run{.tool = trace.tool, .name = "fuzzed", .program = trace.program};
    run.findings.push_back({.trace = trace, .file = "trace.json", .replay_command = ""});
    require(!html_report({run}).empty() && !sarif_json({run}).empty() && !junit_xml({run}).empty());
    return 0;
}
