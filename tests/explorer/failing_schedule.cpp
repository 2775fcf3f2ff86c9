#include "tests/explorer/failing_schedule.hpp"

#include <algorithm>
#include <functional>

#include "core/check.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck::testing {

namespace {

/// All choices there are; a time limit that is no variant runs out only when nothing else can go on.
std::vector<Choice> choices(const Execution& execution) {
    std::vector<Choice> all;
    for (const ParkedThread& parked : execution.parked()) {
        for (const Variant variant : execution.model().options(parked.thread, parked.operation)) {
            all.push_back({parked.thread, variant});
        }
    }
    if (!all.empty()) {
        return all;
    }
    for (const ParkedThread& parked : execution.parked()) {
        if (execution.model().can_time_out(parked.thread, parked.operation)) {
            all.push_back({parked.thread, Variant::timeout()});
        }
    }
    return all;
}

/// Every cycle in the state, and everybody being stuck without one.
std::vector<Finding> deadlocks(const Execution& execution) {
    std::vector<Finding> found;
    const SyncModel& model = execution.model();
    std::vector<Wait> path;
    const std::function<void(ThreadId)> follow = [&](ThreadId thread) {
        const Operation operation = execution.parked_thread(thread).operation;
        if (model.enabled(thread, operation) || model.can_time_out(thread, operation)) {
            return;
        }
        path.push_back({thread, operation, model.blockers(thread, operation)});
        for (const ThreadId blocker : model.blockers(thread, operation)) {
            const auto same = [&](const auto& entry) { return entry.thread == blocker; };
            if (blocker == path.front().thread) {
                Finding finding;
                finding.kind = FindingKind::Deadlock;
                finding.waits = path;
                finding.is_cycle = true;
                found.push_back(finding);
            } else if (std::none_of(path.begin(), path.end(), same) &&
                       std::any_of(execution.parked().begin(), execution.parked().end(), same)) {
                follow(blocker);
            }
        }
        path.pop_back();
    };
    for (const ParkedThread& parked : execution.parked()) {
        follow(parked.thread);
    }
    if (found.empty() && choices(execution).empty() && !execution.parked().empty()) {
        Finding finding;
        finding.kind = FindingKind::Deadlock;
        finding.waits = all_waits(execution);
        found.push_back(finding);
    }
    return found;
}

std::vector<Finding> findings_after(const Execution& execution, ThreadId thread, const StepResult& step) {
    if (!step.end) {
        return deadlocks(execution);
    }
    const std::optional<Finding> finding =
        finding_of_end(*step.end, {{thread, step.operation, step.variant, false}}, execution, {});
    return finding ? std::vector{*finding} : std::vector<Finding>{};
}

}  // namespace

std::optional<Finding> random_failure(Execution& execution, Random& random, std::size_t most_steps) {
    execution.restart();
    Schedule schedule;
    while (schedule.size() < most_steps) {
        const std::vector<Choice> all = choices(execution);
        if (all.empty()) {
            return std::nullopt;
        }
        const Choice choice = all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
        schedule.push_back(choice);
        const StepResult step = execution.step(choice.thread, choice.variant);
        std::vector<Finding> found = findings_after(execution, choice.thread, step);
        if (!found.empty()) {
            Finding finding = found[static_cast<std::size_t>(random.below(static_cast<int>(found.size())))];
            finding.schedule = schedule;
            finding.preemptions = replay(execution, schedule).preemptions;
            return finding;
        }
        if (step.end) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

Replayed replay(Execution& execution, const Schedule& schedule) {
    Replayed replayed;
    execution.restart();
    ThreadId last;
    bool gave_way = false;
    for (std::size_t index = 0; index < schedule.size(); ++index) {
        const Choice choice = schedule[index];
        const std::vector<Choice> all = choices(execution);
        COOPCHECK_CHECK(std::find(all.begin(), all.end(), choice) != all.end(),
                        "a schedule that is not possible");
        const bool switched = last.valid() && last != choice.thread;
        const bool last_enabled =
            std::any_of(execution.parked().begin(), execution.parked().end(), [&](const auto& one) {
                return one.thread == last && execution.model().enabled(last, one.operation);
            });
        replayed.switches += switched ? 1 : 0;
        replayed.preemptions += switched && last_enabled && !gave_way ? 1 : 0;
        const StepResult step = execution.step(choice.thread, choice.variant);
        last = choice.thread;
        gave_way = step.operation.kind == OpKind::Yield || step.operation.kind == OpKind::Sleep;
        std::vector<Finding> found = findings_after(execution, choice.thread, step);
        const bool is_last = index + 1 == schedule.size();
        replayed.shown_before = replayed.shown_before || (!is_last && !found.empty());
        if (is_last) {
            replayed.passed = step.end.has_value() && found.empty();
            replayed.shown = std::move(found);
        }
    }
    return replayed;
}

bool shows(const Replayed& replayed, const Finding& finding) {
    return std::any_of(replayed.shown.begin(), replayed.shown.end(),
                       [&](const Finding& shown) { return shown.key() == finding.key(); });
}

std::optional<unsigned> fewest_preemptions(const std::vector<Outcomes>& within, const Finding& finding,
                                           const Names& names) {
    Outcomes wanted;
    Finding twin = finding;
    add_finding(wanted, twin, names);
    twin.is_cycle =
        !twin.is_cycle;  // Finding::key() does not tell a cycle of all threads from all being stuck
    add_finding(wanted, twin, names);
    const auto meet = [](const std::set<std::string>& left, const std::set<std::string>& right) {
        return std::any_of(left.begin(), left.end(),
                           [&](const std::string& text) { return right.contains(text); });
    };
    for (unsigned bound = 0; bound < within.size(); ++bound) {
        if (meet(within[bound].assertions, wanted.assertions) ||
            meet(within[bound].deadlocks, wanted.deadlocks)) {
            return bound;
        }
        if (finding.kind == FindingKind::Misuse && finding.operation.thread.valid()) {
            // Nor does it tell which thread was joined twice: any text that differs only in that.
            const std::string& text = *wanted.misuses.begin();
            const std::string start = text.substr(0, text.rfind(": ") + 2);
            for (const std::string& other : within[bound].misuses) {
                if (other.substr(0, other.rfind(": ") + 2) == start) {
                    return bound;
                }
            }
        } else if (meet(within[bound].misuses, wanted.misuses)) {
            return bound;
        }
    }
    return std::nullopt;
}

}  // namespace coopcheck::testing
