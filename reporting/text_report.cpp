#include "reporting/text_report.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "reporting/bytes_as_text.hpp"
#include "reporting/columns.hpp"
#include "reporting/finding_place.hpp"
#include "reporting/race_words.hpp"
#include "reporting/relevant_steps.hpp"
#include "reporting/source_line.hpp"
#include "reporting/step_words.hpp"

namespace coopcheck {

namespace {

std::string at(const std::string& source) { return source.empty() ? "" : "  at " + printable(source); }

}  // namespace

std::string describe(const TraceFinding& finding) {
    std::string text{describe(finding.kind)};
    if (finding.kind == FindingKind::Deadlock) {
        text += finding.confirmed ? (finding.is_cycle ? " (cycle)" : "") : " (predicted, not reached)";
    } else if (finding.race) {
        return text + " on " + race_in_short(*finding.race);
    } else if (!finding.thread.empty()) {
        text += " in " + finding.thread;
    }
    if (finding.kind == FindingKind::Race && finding.operation) {
        text += ": " + describe(*finding.operation);
    }
    if (finding.misuse) {
        text += ": " + std::string(describe(*finding.misuse));
        text += finding.operation ? " in " + describe(*finding.operation) : "";
    }
    if (!finding.message.empty()) {
        text += ": " + finding.message;
    }
    return printable(text);
}

std::string describe_step(std::size_t number, const TraceStep& step) {
    const std::string count = std::to_string(number);
    std::string text = std::string(count.size() < 4 ? 4 - count.size() : 0, ' ') + count;
    text += step.switched == SwitchKind::Preemption ? " * " : "   ";
    text += printable(step.thread + "  " + describe(step.operation) + describe(step.variant));
    return text + result_words(step) + at(step.source) + '\n';
}

std::string describe_wait(const TraceWait& wait) {
    std::string text = wait.thread + " waits in " + describe(wait.operation);
    for (std::size_t i = 0; i < wait.blockers.size(); ++i) {
        text += (i == 0 ? ", for " : " and ") + wait.blockers[i];
    }
    return printable(text) + at(wait.source) + '\n';
}

namespace {

std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
    }
    return text;
}

/// What the thread that failed holds, and where it took that.
std::string describe_holdings(const Trace& trace, const std::vector<Holding>& holdings, const Paint& paint) {
    std::string text;
    for (const Holding& holding : holdings) {
        if (holding.thread != trace.finding.thread) {
            continue;
        }
        const std::string& source = trace.steps[holding.since].source;
        text += "  " + printable(holding.thread + " holds " + label_of(trace, holding.object)) +
                " since step " + std::to_string(holding.since + 1) + at(source) + '\n' +
                source_line(trace, source, paint, "      ");
    }
    return text;
}

/// Who waits for what, holding what; and the cycle in one line.
std::string describe_end(const Trace& trace, const Paint& paint) {
    std::string text;
    const std::vector<Holding> holdings = holdings_at_end(trace);
    for (const TraceWait& wait : trace.finding.waits) {
        std::vector<std::string> held;
        for (const Holding& holding : holdings) {
            if (holding.thread == wait.thread) {
                held.push_back(label_of(trace, holding.object) + " (since step " +
                               std::to_string(holding.since + 1) + ")");
            }
        }
        std::string line = describe_wait(labelled(trace, wait));
        if (!held.empty()) {
            line.insert(printable(wait.thread).size(), " holds " + printable(list_of(held)) + " and");
        }
        text += "  " + line + source_line(trace, wait.source, paint, "      ");
    }
    if (trace.finding.kind == FindingKind::Misuse) {
        text += describe_holdings(trace, holdings, paint);
    }
    if (trace.finding.is_cycle) {
        text += "  cycle: " + printable(describe_cycle(trace)) + '\n';
    }
    return text;
}

std::string describe_decision(const Trace& trace, const TextStyle& style) {
    if (!trace.decision || trace.decision->passing.empty()) {
        return "";
    }
    const std::size_t first = trace.decision->step;
    const TraceStep& instead = trace.decision->passing.front();
    std::string text = "  decided at step " + std::to_string(first + 1) + ": with " +
                       printable(instead.thread) + " going on instead (" + short_words(trace, instead) +
                       ") the program can still come to a good end";
    if (!style.all_steps) {
        return text + '\n';
    }
    text += ". The nearest passing schedule:\n";
    for (std::size_t i = 0; i < trace.decision->passing.size(); ++i) {
        text += describe_step(first + i + 1, labelled(trace, trace.decision->passing[i]));
    }
    return text;
}

std::string describe_minimality(const Trace& trace) {
    if (trace.minimal && trace.preemptions > 0) {
        return std::string("  it needs ") +
               (trace.preemptions == 1 ? "this preemption" : "these preemptions") +
               ": no schedule with fewer has it\n";
    }
    if (!trace.minimal && !trace.minimal_open.empty()) {
        return "  the best schedule found; whether one with fewer preemptions shows it is open: " +
               printable(trace.minimal_open) + '\n';
    }
    return "";
}

}  // namespace

std::string describe_cycle(const Trace& trace) {
    const std::vector<TraceWait>& waits = trace.finding.waits;
    if (waits.empty()) {
        return "";
    }
    std::string text = waits.front().thread;
    std::size_t at = 0;
    for (std::size_t passed = 0; passed < waits.size(); ++passed) {
        const TraceOperation& operation = waits[at].operation;
        const std::string& object = operation.mutex.empty() ? operation.object : operation.mutex;
        if (!object.empty()) {
            text += " -> " + label_of(trace, object);
        }
        const auto next = std::find_if(waits.begin(), waits.end(), [&](const TraceWait& wait) {
            return std::find(waits[at].blockers.begin(), waits[at].blockers.end(), wait.thread) !=
                   waits[at].blockers.end();
        });
        if (next == waits.end()) {
            return text;
        }
        text += " -> " + next->thread;
        at = static_cast<std::size_t>(next - waits.begin());
        if (at == 0) {
            break;
        }
    }
    return text;
}

std::string report(const Trace& trace, const TextStyle& style) {
    const Paint paint(style.color);
    std::ostringstream text;
    text << paint.bad(describe(labelled(trace, trace.finding))) << ", " << trace.preemptions
         << (trace.preemptions == 1 ? " preemption" : " preemptions") << '\n';
    // A race has two places, which are told with its accesses.
    if (const std::string source = finding_source(trace); !source.empty() && !trace.finding.race) {
        text << "  at " << printable(source) << '\n' << source_line(trace, source, paint, "      ");
    }
    text << interleaving(trace, style);
    if (trace.preemptions > 0 || trace.decision) {
        text << paint.faint(std::string("   ") + (trace.preemptions > 0 ? " * preemption" : "") +
                            (trace.decision
                                 ? (trace.preemptions > 0 ? "   " : " ") + std::string("! decisive step")
                                 : ""))
             << '\n';
    }
    if (trace.finding.race) {
        text << race_report(trace, paint);
    }
    text << describe_end(trace, paint) << describe_minimality(trace) << describe_decision(trace, style);
    if (!trace.output.empty()) {
        text << "  output of the program in this schedule" << (trace.output_cut ? " (its start)" : "")
             << ":\n"
             << indent(trace.output);
    }
    return text.str();
}

std::string indent(std::string_view text) {
    std::istringstream lines(printable(text, true));
    std::string indented;
    std::string line;
    while (std::getline(lines, line)) {
        indented += "    " + line + '\n';
    }
    return indented;
}

}  // namespace coopcheck
