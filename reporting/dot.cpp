#include "reporting/dot.hpp"

#include <set>

#include "reporting/bytes_as_text.hpp"
#include "reporting/race_words.hpp"
#include "reporting/relevant_steps.hpp"
#include "reporting/step_words.hpp"
#include "reporting/text_report.hpp"

namespace coopcheck {

namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char letter : printable(text)) {
        if (letter == '"' || letter == '\\') {
            result += '\\';
        }
        result += letter;
    }
    return result + "\"";
}

/// Two lines in one label: \n is Graphviz's own.
std::string two_lines(const std::string& first, const std::string& second) {
    std::string text = quoted(first);
    text.pop_back();
    return second.empty() ? text + "\"" : text + "\\n" + quoted(second).substr(1);
}

}  // namespace

std::string wait_graph(const Trace& trace) {
    const auto functions = thread_functions(trace);
    std::string text = "digraph waits {\n  label=" + quoted(describe(labelled(trace, trace.finding))) +
                       ";\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n";
    std::set<std::string> threads;
    const auto add_thread = [&](const std::string& thread) {
        if (!threads.insert(thread).second) {
            return;
        }
        const auto function = functions.find(thread);
        text += "  " + quoted(thread) + " [shape=box, label=" +
                two_lines(thread, function == functions.end() ? "" : function->second) + "];\n";
    };
    if (!trace.finding.thread.empty()) {
        add_thread(trace.finding.thread);
    }
    std::set<std::string> objects;
    std::set<std::string> waiting;
    for (const TraceWait& wait : trace.finding.waits) {
        waiting.insert(wait.thread);
    }
    for (const TraceWait& wait : trace.finding.waits) {
        add_thread(wait.thread);
        const std::string& object = wait.operation.object;
        if (object.empty()) {
            for (const std::string& blocker : wait.blockers) {
                add_thread(blocker);
                text += "  " + quoted(wait.thread) + " -> " + quoted(blocker) +
                        " [label=" + two_lines("waits", place_words(wait.source)) + "];\n";
            }
            continue;
        }
        if (objects.insert(object).second) {
            text += "  " + quoted("object " + object) +
                    " [shape=ellipse, label=" + quoted(label_of(trace, object)) + "];\n";
        }
        text += "  " + quoted(wait.thread) + " -> " + quoted("object " + object) +
                " [style=dashed, label=" + two_lines("waits", place_words(wait.source)) + "];\n";
    }
    if (trace.finding.race) {
        // Who is about to access what.
        const TraceRace& race = *trace.finding.race;
        const std::string memory = race.second.operation.location;
        text += "  " + quoted("object " + memory) +
                " [shape=ellipse, label=" + quoted(label_of(trace, memory)) + "];\n";
        for (const TraceAccess* access : {&race.first, &race.second}) {
            add_thread(access->thread);
            text += "  " + quoted(access->thread) + " -> " + quoted("object " + memory) +
                    " [label=" + two_lines(access_words(*access), place_words(access->source)) + "];\n";
        }
    }
    for (const Holding& holding : holdings_at_end(trace)) {
        if (!waiting.contains(holding.thread) || !objects.contains(holding.object)) {
            continue;
        }
        text += "  " + quoted("object " + holding.object) + " -> " + quoted(holding.thread) +
                " [label=" + quoted("held since step " + std::to_string(holding.since + 1)) + "];\n";
    }
    return text + "}\n";
}

}  // namespace coopcheck
