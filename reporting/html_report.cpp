#include "reporting/html_report.hpp"

#include <nlohmann/json.hpp>

#include "reporting/page_parts.hpp"
#include "reporting/step_words.hpp"
#include "reporting/summary_json.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck {

namespace {

using Json = nlohmann::ordered_json;

/// Steps in words, in the order of the trace: what a step is called is decided here, not in the page.
Json words_of(const Trace& trace, const std::vector<TraceStep>& steps) {
    Json words = Json::array();
    for (const TraceStep& step : steps) {
        words.push_back(short_words(trace, step));
    }
    return words;
}

/// The trace itself, and what is said about it.
std::string finding_json(const Trace& trace) {
    Json words;
    words["steps"] = words_of(trace, trace.steps);
    words["passing"] = trace.decision ? words_of(trace, trace.decision->passing) : Json::array();
    words["waits"] = Json::array();
    for (const TraceWait& wait : trace.finding.waits) {
        words["waits"].push_back(short_words(trace, wait.operation));
    }
    words["accesses"] = Json::array();
    if (trace.finding.race) {
        for (const TraceAccess* access : {&trace.finding.race->first, &trace.finding.race->second}) {
            words["accesses"].push_back(short_words(trace, access->operation));
        }
    }
    words["functions"] = Json::object();
    for (const auto& [thread, function] : thread_functions(trace)) {
        words["functions"][thread] = function;
    }
    return "{\"words\":" + words.dump(-1, ' ', true, Json::error_handler_t::replace) +
           ",\"trace\":" + to_json(trace) + "}";
}

/// For a script element: "</script>" and "<!--" would end or change it, so there is no "<" at all. In JSON it
/// can only be part of a text.
std::string for_script(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (const char letter : json) {
        if (letter == '<') {
            text += "\\u003c";
        } else {
            text += letter;
        }
    }
    return text;
}

void replace(std::string& text, std::string_view mark, const std::string& with) {
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) {
        text.replace(at, mark.size(), with);
    }
}

}  // namespace

std::string html_report(const std::vector<RunSummary>& runs) {
    std::string traces = "[";
    for (std::size_t run = 0; run < runs.size(); ++run) {
        traces += run == 0 ? "[" : ",[";
        for (std::size_t i = 0; i < runs[run].findings.size(); ++i) {
            traces += (i == 0 ? "" : ",") + finding_json(runs[run].findings[i].trace);
        }
        traces += "]";
    }
    traces += "]";
    const std::string data = "{\"report\":" + summary_json(runs) + ",\"findings\":" + traces + "}";
    // The data last: it may contain the other marks.
    std::string text(page::page_html);
    replace(text, "/*style*/", std::string(page::style_css));
    replace(text, "/*script*/",
            std::string(page::model_js) + std::string(page::diagram_js) + std::string(page::plots_js) +
                std::string(page::view_js));
    replace(text, "/*data*/", for_script(data));
    return text;
}

}  // namespace coopcheck
