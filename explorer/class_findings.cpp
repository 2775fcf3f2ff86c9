// What the paths of ClassSearch show: races, cycles of waiting threads, ends.
#include <algorithm>
#include <utility>

#include "explorer/class_search.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

void ClassSearch::look_for_cycles(ThreadId thread, const StepResult& step) {
    if (!options_.find_deadlocks) {
        return;
    }
    const bool others_want_a_mutex = step.operation.kind == OpKind::CondSignal ||
                                     step.operation.kind == OpKind::CondBroadcast ||
                                     step.operation.kind == OpKind::ThreadCancel;
    for (const ParkedThread& parked : execution_.parked()) {
        if (parked.thread != thread && !others_want_a_mutex) {
            continue;
        }
        if (execution_.model().enabled(parked.thread, parked.operation)) {
            continue;
        }
        if (std::optional<std::vector<Wait>> cycle = find_wait_cycle(execution_, parked.thread)) {
            note(finding_of_cycle(std::move(*cycle), steps()));
        }
    }
}

void ClassSearch::start_watching() {
    // Nothing was accessed so far: only what orders accesses has to be caught up with.
    watching_ = true;
    execution_.revisit(path_.front()->place);
    for (std::size_t number = 0; number + 1 < path_.size(); ++number) {
        const Event& event = *path_[number]->event;
        const StepResult result = execution_.step(event.thread, event.variant);
        auto monitors = std::make_shared<Monitors>(*path_[number]->monitors);
        if (!result.end || number + 2 < path_.size()) {
            monitors->step(event.thread, result, execution_.model());
        }
        path_[number + 1]->monitors = std::move(monitors);
    }
}

void ClassSearch::watch(const StepResult& step) {
    Node& next = *path_.back();
    const ThreadId thread = path_[path_.size() - 2]->event->thread;
    if (execution_.can_watch()) {
        return;  // races are looked for by a RaceWatch, from the start of a run and byte by byte
    }
    if (!watching_ && step.accesses.empty()) {
        return;
    }
    if (!watching_) {
        start_watching();
        auto monitors = std::make_shared<Monitors>(*next.monitors);
        judge_accesses(step, thread, *monitors);
        next.monitors = std::move(monitors);
        return;
    }
    auto monitors = std::make_shared<Monitors>(*next.monitors);
    monitors->step(thread, step, execution_.model());
    judge_accesses(step, thread, *monitors);
    next.monitors = std::move(monitors);
}

void ClassSearch::judge_accesses(const StepResult& step, ThreadId thread, Monitors& monitors) {
    for (const Access& access : step.accesses) {
        if (access.atomic) {
            assumptions_.see_racy(access.location);
            continue;
        }
        const bool undisciplined = monitors.lockset.access(thread, access, execution_.model());
        const bool racing = monitors.happens_before.access(thread, access).has_value();
        const bool apart =
            monitors.without_locks && monitors.without_locks->access(thread, access, execution_.model());
        if ((!undisciplined && !racing && !apart) || assumptions_.racy().contains(access.location)) {
            continue;
        }
        assumptions_.see_racy(access.location);
        if (!undisciplined && !racing) {
            continue;  // it may be in order, but how is to be explored
        }
        Finding finding = finding_at(steps());
        finding.kind = FindingKind::Race;
        finding.thread = thread;
        finding.operation = Operation{};
        finding.operation.kind = access.write ? OpKind::Write : OpKind::Read;
        finding.operation.location = access.location;
        finding.operation.site = access.site;
        races_.add(std::move(finding));
    }
}

std::vector<StepRecord> ClassSearch::steps() const {
    std::vector<StepRecord> steps;
    for (const ClassNodePtr& node : path_) {
        if (node->event) {
            steps.push_back(
                {node->event->thread, node->event->operation, node->event->variant, node->event->preempting});
        }
    }
    return steps;
}

double ClassSearch::explored() const {
    if (record_) {
        return record_->explored();
    }
    // Knuth's weights: every branch of a place has the same share of what begins there.
    double share = 1;
    double sum = 0;
    for (const ClassNodePtr& node : path_) {
        const std::size_t known = node->explored + (node->event ? 1 : 0) + node->todo.branches().size();
        if (known == 0) {
            break;
        }
        share /= static_cast<double>(known);
        sum += share * static_cast<double>(node->explored);
    }
    return sum + share;  // and the path itself
}

void ClassSearch::note(Finding finding) {
    if (made_before_ == 0) {
        findings_.add(std::move(finding));
    }
}

void ClassSearch::finish(PathEnd end, const RunEnd* run_end) {
    is_in_recorded_run_ = false;
    if (made_before_ > 0) {
        made_before_ -= 1;
        reverse_races();
        return;
    }
    begun_before_ = 0;
    switch (end) {
        case PathEnd::Complete:
            counts_.complete += 1;
            break;
        case PathEnd::Deadlocked:
            counts_.deadlocked += 1;
            break;
        case PathEnd::Livelocked:
            counts_.livelocked += 1;
            break;
        case PathEnd::Truncated:
            counts_.truncated += 1;
            break;
        case PathEnd::Redundant:
        case PathEnd::Abandoned:
            counts_.redundant += 1;
            break;
    }
    // Before anybody is told: a listener may run the program along another way.
    reverse_races();
    if (listener_ != nullptr) {
        const std::vector<StepRecord> made = steps();
        PathReport report{end, made, run_end, execution_, explored(), std::nullopt};
        if (options_.bound) {
            report.bound = bound_;
        }
        listener_->path(report);
    }
    budget_.spend_schedule();
    has_enough_ = has_enough_ || findings_.size() >= options_.max_findings;
}

}  // namespace coopcheck
