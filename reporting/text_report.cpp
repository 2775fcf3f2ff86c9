#include "reporting/text_report.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace coopcheck {

namespace {

std::string target_of(const Operation& operation, const Names& names) {
    if (operation.thread.valid()) {
        return names.threads.name(operation.thread);
    }
    if (operation.mutex.valid() && operation.object.valid()) {
        return names.objects.name(operation.object) + ", " + names.objects.name(operation.mutex);
    }
    return operation.object.valid() ? names.objects.name(operation.object) : "";
}

std::string describe_variant(const Variant& variant, const Names& names) {
    switch (variant.kind) {
        case Variant::Kind::Wake:
            return " wakes " + names.threads.name(variant.thread);
        case Variant::Kind::Timeout:
            return " times out";
        case Variant::Kind::Spurious:
            return " wakes up spuriously";
        case Variant::Kind::Value:
            return " -> " + std::to_string(variant.value);
        case Variant::Kind::Cancel:
            return " is cancelled";
        case Variant::Kind::Subset:
        case Variant::Kind::Normal:
            return "";
    }
    return "";
}

std::string describe_operation(const Operation& operation, const Names& names) {
    if (operation.kind == OpKind::Yield && operation.value == 1) {
        return "looks again";
    }
    const std::string target = target_of(operation, names);
    return std::string(name(operation.kind)) + (target.empty() ? "" : "(" + target + ")");
}

std::string headline(const Finding& finding, const Names& names) {
    std::string text{describe(finding.kind)};
    if (finding.kind == FindingKind::Deadlock) {
        text += finding.confirmed ? (finding.is_cycle ? " (cycle)" : "") : " (predicted, not reached)";
    } else if (finding.thread.valid()) {
        text += " in " + names.threads.name(finding.thread);
    }
    if (finding.misuse) {
        text += ": " + std::string(describe(*finding.misuse)) + " in " +
                describe_operation(finding.operation, names);
    }
    if (!finding.message.empty()) {
        text += ": " + finding.message;
    }
    return text + ", " + std::to_string(finding.preemptions) +
           (finding.preemptions == 1 ? " preemption" : " preemptions");
}

}  // namespace

std::vector<ReportStep> retrace(Execution& execution, const Schedule& schedule) {
    execution.restart();
    std::vector<ReportStep> steps;
    ThreadId last;
    bool yielded = false;
    for (const Choice& choice : schedule) {
        const auto parked = execution.parked();
        const bool last_can_go_on =
            !yielded && last != choice.thread &&
            std::any_of(parked.begin(), parked.end(), [&](const ParkedThread& thread) {
                return thread.thread == last && execution.model().enabled(last, thread.operation);
            });
        const StepResult made = execution.step(choice.thread, choice.variant);
        steps.push_back({choice.thread, made.operation, choice.variant, made.outcome.result, last_can_go_on});
        last = choice.thread;
        yielded = made.operation.kind == OpKind::Yield || made.operation.kind == OpKind::Sleep;
    }
    return steps;
}

std::string report_finding(const Finding& finding, const std::vector<ReportStep>& steps, const Names& names,
                           const SourceNames& source) {
    std::ostringstream text;
    text << headline(finding, names) << '\n';
    for (const ReportStep& step : steps) {
        text << (step.preempting ? "  * " : "    ") << names.threads.name(step.thread) << "  "
             << describe_operation(step.operation, names) << describe_variant(step.variant, names);
        if (step.result > 0 && step.operation.kind != OpKind::SemGetValue &&
            step.operation.kind != OpKind::Choose && step.operation.kind != OpKind::FutexWake) {
            text << " = " << std::strerror(step.result);
        }
        const std::string where = step.operation.site == 0 ? "" : source(step.operation.site);
        text << (where.empty() ? "" : "  at " + where) << '\n';
    }
    for (const Wait& wait : finding.waits) {
        text << "  " << names.threads.name(wait.thread) << " waits in "
             << describe_operation(wait.operation, names);
        for (std::size_t i = 0; i < wait.blockers.size(); ++i) {
            text << (i == 0 ? ", for " : " and ") << names.threads.name(wait.blockers[i]);
        }
        const std::string where = wait.operation.site == 0 ? "" : source(wait.operation.site);
        text << (where.empty() ? "" : "  at " + where) << '\n';
    }
    return text.str();
}

std::string indent(const std::string& text) {
    std::istringstream lines(text);
    std::string indented;
    std::string line;
    while (std::getline(lines, line)) {
        indented += "    " + line + '\n';
    }
    return indented;
}

}  // namespace coopcheck
