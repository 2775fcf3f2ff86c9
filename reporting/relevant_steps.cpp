#include "reporting/relevant_steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace coopcheck {

namespace {

std::set<std::string> objects_of_deadlock(const Trace& trace) {
    std::set<std::string> objects;
    std::set<std::string> threads;
    for (const TraceWait& wait : trace.finding.waits) {
        threads.insert(wait.thread);
        objects.insert(wait.operation.object);
        objects.insert(wait.operation.mutex);
    }
    for (const Holding& holding : holdings_at_end(trace)) {
        if (threads.contains(holding.thread)) {
            objects.insert(holding.object);
        }
    }
    objects.erase("");
    return objects;
}

std::set<std::string> objects_of_race(const TraceRace& race) {
    std::set<std::string> objects{race.first.operation.location, race.second.operation.location};
    for (const TraceAccess* access : {&race.first, &race.second}) {
        objects.insert(access->locks.begin(), access->locks.end());
    }
    return objects;
}

/// The accesses are inside of steps, so all steps of the two threads are shown.
bool is_of_race_apart(const Trace& trace, const TraceStep& step) {
    const std::optional<TraceRace>& race = trace.finding.race;
    return race && race->apart && (step.thread == race->first.thread || step.thread == race->second.thread);
}

/// What more than one thread operates on.
std::set<std::string> shared_objects(const Trace& trace) {
    std::map<std::string, std::set<std::string>> users;
    for (const TraceStep& step : trace.steps) {
        for (const std::string& object :
             {step.operation.object, step.operation.mutex, step.operation.location}) {
            if (!object.empty() && !step.operation.runtime) {
                users[object].insert(step.thread);
            }
        }
    }
    std::set<std::string> shared;
    for (const auto& [object, threads] : users) {
        if (threads.size() > 1) {
            shared.insert(object);
        }
    }
    return shared;
}

bool always_matters(OpKind kind) {
    return kind == OpKind::ThreadCreate || kind == OpKind::ThreadJoin || kind == OpKind::ThreadCancel ||
           kind == OpKind::Choose || kind == OpKind::SystemCall || kind == OpKind::ProcessExit ||
           kind == OpKind::Failure;
}

}  // namespace

std::vector<Holding> holdings_at_end(const Trace& trace) {
    std::vector<Holding> holdings;
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const TraceStep& step = trace.steps[i];
        for (const std::string& object : step.takes) {
            holdings.push_back({step.thread, object, i});
        }
        for (const std::string& object : step.gives) {
            std::erase_if(holdings, [&](const Holding& holding) {
                return holding.thread == step.thread && holding.object == object;
            });
        }
    }
    return holdings;
}

std::vector<bool> relevant_steps(const Trace& trace) {
    const bool deadlock = trace.finding.kind == FindingKind::Deadlock;
    const std::set<std::string> objects = deadlock             ? objects_of_deadlock(trace)
                                          : trace.finding.race ? objects_of_race(*trace.finding.race)
                                                               : shared_objects(trace);
    std::vector<bool> relevant(trace.steps.size(), false);
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const TraceStep& step = trace.steps[i];
        const TraceOperation& operation = step.operation;
        relevant[i] =
            step.switched == SwitchKind::Preemption || i + 1 == trace.steps.size() ||
            (trace.decision && trace.decision->step == i) || is_of_race_apart(trace, step) ||
            always_matters(operation.kind) ||
            (!operation.runtime && (objects.contains(operation.object) || objects.contains(operation.mutex) ||
                                    objects.contains(operation.location)));
    }
    return relevant;
}

}  // namespace coopcheck
