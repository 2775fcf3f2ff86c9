#include "reporting/text_report.hpp"

#include <cstring>
#include <sstream>

#include "reporting/bytes_as_text.hpp"

namespace coopcheck {

namespace {

/// Most operations return an error number; these a value.
bool returns_error_number(OpKind kind) {
    return kind != OpKind::SemGetValue && kind != OpKind::Choose && kind != OpKind::FutexWake;
}

std::string at(const std::string& source) { return source.empty() ? "" : "  at " + printable(source); }

}  // namespace

std::string describe(const TraceFinding& finding) {
    std::string text{describe(finding.kind)};
    if (finding.kind == FindingKind::Deadlock) {
        text += finding.confirmed ? (finding.is_cycle ? " (cycle)" : "") : " (predicted, not reached)";
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
    if (step.result > 0 && returns_error_number(step.operation.kind)) {
        text += std::string(" = ") + std::strerror(step.result);  // NOLINT(concurrency-mt-unsafe): one thread
    }
    return text + at(step.source) + '\n';
}

std::string describe_wait(const TraceWait& wait) {
    std::string text = wait.thread + " waits in " + describe(wait.operation);
    for (std::size_t i = 0; i < wait.blockers.size(); ++i) {
        text += (i == 0 ? ", for " : " and ") + wait.blockers[i];
    }
    return printable(text) + at(wait.source) + '\n';
}

std::string report(const Trace& trace) {
    std::ostringstream text;
    text << describe(trace.finding) << ", " << trace.preemptions
         << (trace.preemptions == 1 ? " preemption" : " preemptions") << '\n';
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        text << describe_step(i + 1, trace.steps[i]);
    }
    for (const TraceWait& wait : trace.finding.waits) {
        text << "  " << describe_wait(wait);
    }
    if (trace.minimal && trace.preemptions > 0) {
        text << "  it needs " << (trace.preemptions == 1 ? "this preemption" : "these preemptions")
             << ": no schedule with fewer has it\n";
    }
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
