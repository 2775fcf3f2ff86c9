#include "tests/support/naive_search.hpp"

#include <algorithm>

namespace coopcheck::testing {

NaiveSearch::NaiveSearch(FiberExecution& execution, Limits limits)
    : execution_(execution), limits_(limits), found_(limits.preemptions + 2) {
    execution_.restart();
    const std::vector<Location> all = execution_.variables();
    execution_.set_visible(all);
    execution_.restart();
    explore(ThreadId{}, 0);
}

Outcomes NaiveSearch::outcomes() const {
    Outcomes all;
    for (const Outcomes& some : found_) {
        all.add(some);
    }
    return all;
}

std::vector<Outcomes> NaiveSearch::outcomes_within() const {
    std::vector<Outcomes> within(found_.begin(), found_.end() - 1);
    for (std::size_t bound = 1; bound < within.size(); ++bound) {
        within[bound].add(within[bound - 1]);
    }
    return within;
}

Outcomes& NaiveSearch::at(unsigned preemptions) {
    return found_[std::min<std::size_t>(preemptions, found_.size() - 1)];
}

/// `last` has made the last step and would be preempted by another one, if it is enabled; invalid if there is
/// no such.
void NaiveSearch::explore(ThreadId last, unsigned preemptions) {
    note_deadlocks(preemptions);
    const PlacePtr place = execution_.here();
    const std::vector<ParkedThread> parked(execution_.parked().begin(), execution_.parked().end());
    const auto enabled = [&](const ParkedThread& one) {
        return execution_.model().enabled(one.thread, one.operation);
    };
    const bool anybody = std::any_of(parked.begin(), parked.end(), enabled);
    const bool last_enabled = std::any_of(parked.begin(), parked.end(), [&](const ParkedThread& one) {
        return one.thread == last && enabled(one);
    });
    struct Option {
        Choice choice;
        unsigned preemptions;
    };
    std::vector<Option> options;
    for (const ParkedThread& one : parked) {
        const unsigned cost = preemptions + (last_enabled && one.thread != last ? 1 : 0);
        for (const Variant variant : execution_.model().options(one.thread, one.operation)) {
            options.push_back({{one.thread, variant}, cost});
        }
        if (!anybody && execution_.model().can_time_out(one.thread, one.operation)) {
            options.push_back({{one.thread, Variant::timeout()}, cost});
        }
    }
    for (const Option& option : options) {
        if (runs_ >= limits_.runs) {
            complete_ = false;
            return;
        }
        execution_.revisit(place);
        step(option.choice.thread, option.choice.variant, option.preemptions);
    }
    if (options.empty()) {
        ++runs_;
    }
}

void NaiveSearch::step(ThreadId thread, Variant variant, unsigned preemptions) {
    const StepResult result = execution_.step(thread, variant);
    if (result.end) {
        ++runs_;
        note_end(result, thread, preemptions);
        return;
    }
    const bool gives_way = result.operation.kind == OpKind::Yield || result.operation.kind == OpKind::Sleep;
    explore(gives_way ? ThreadId{} : thread, preemptions);
}

void NaiveSearch::note_end(const StepResult& result, ThreadId thread, unsigned preemptions) {
    const std::string& name = execution_.names().threads.name(thread);
    switch (result.end->kind) {
        case RunEnd::Kind::AllThreadsEnded:
            at(preemptions).final_states.insert(execution_.final_state());
            break;
        case RunEnd::Kind::ProcessExit:
            at(preemptions).final_states.insert(describe_exit(result.end->code));
            break;
        case RunEnd::Kind::Failed:
            at(preemptions).assertions.insert(describe_assertion(name, result.end->message));
            break;
        case RunEnd::Kind::Misused:
            at(preemptions)
                .misuses.insert(describe_misuse(*result.end->misuse, name, result.operation.kind,
                                                target_name(result.operation)));
            break;
    }
}

std::string NaiveSearch::target_name(const Operation& operation) const {
    const Names& names = execution_.names();
    return operation.thread.valid()   ? names.threads.name(operation.thread)
           : operation.object.valid() ? names.objects.name(operation.object)
                                      : std::string();
}

BlockedThread NaiveSearch::blocked(const ParkedThread& parked) const {
    return {execution_.names().threads.name(parked.thread), parked.operation.kind,
            target_name(parked.operation)};
}

void NaiveSearch::note_deadlocks(unsigned preemptions) {
    const SyncModel& model = execution_.model();
    std::vector<BlockedThread> stuck;
    for (const ParkedThread& parked : execution_.parked()) {
        if (!model.enabled(parked.thread, parked.operation) &&
            !model.can_time_out(parked.thread, parked.operation)) {
            stuck.push_back(blocked(parked));
            std::vector<ParkedThread> path{parked};
            follow(path, preemptions);
        }
    }
    if (stuck.size() == execution_.parked().size()) {
        at(preemptions).deadlocks.insert(describe_stuck(stuck));
    }
}

void NaiveSearch::follow(std::vector<ParkedThread>& path, unsigned preemptions) {
    const ParkedThread last = path.back();
    if (execution_.model().can_time_out(last.thread, last.operation)) {
        return;
    }
    for (const ThreadId blocker : execution_.model().blockers(last.thread, last.operation)) {
        const auto on_path = std::find_if(path.begin(), path.end(),
                                          [&](const ParkedThread& one) { return one.thread == blocker; });
        if (on_path == path.end()) {
            const auto all = execution_.parked();
            const auto next = std::find_if(all.begin(), all.end(),
                                           [&](const ParkedThread& one) { return one.thread == blocker; });
            if (next != all.end()) {
                path.push_back(*next);
                follow(path, preemptions);
                path.pop_back();
            }
        } else if (on_path == path.begin()) {
            std::vector<BlockedThread> cycle;
            cycle.reserve(path.size());
            for (const ParkedThread& one : path) {
                cycle.push_back(blocked(one));
            }
            at(preemptions).deadlocks.insert(describe_cycle(cycle));
        }
    }
}

}  // namespace coopcheck::testing
