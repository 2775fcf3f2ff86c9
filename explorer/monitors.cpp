#include "explorer/monitors.hpp"

#include <algorithm>

namespace coopcheck {

bool OrderWithoutLocks::access(ThreadId thread, const Access& access, const SyncModel& model) {
    const bool is_apart = order_.access(thread, access).has_value();
    const std::vector<ObjectId>& held = model.held(thread);
    const auto [entry, is_first] = locks_.try_emplace(access.location, held);
    if (!is_first) {
        std::erase_if(entry->second,
                      [&](ObjectId lock) { return std::find(held.begin(), held.end(), lock) == held.end(); });
    }
    return is_apart && entry->second.empty();
}

void Monitors::step(ThreadId thread, const StepResult& step, const SyncModel& model) {
    const Operation& operation = step.operation;
    ThreadHoldings& own = of(thread);
    happens_before.step(thread, step);
    if (without_locks) {
        without_locks->step(thread, step);
    }

    // Locks: follow what SyncModel says is held now.
    const std::vector<ObjectId> nothing;
    const std::vector<ObjectId>& held = step.thread_ended ? nothing : model.held(thread);
    for (const ObjectId lock : held) {
        const bool is_open = std::any_of(own.open.begin(), own.open.end(),
                                         [&](const LastLock& open) { return open.lock == lock; });
        if (!is_open) {
            LastLock taken{lock, {}, steps};
            for (const LastLock& open : own.open) {
                taken.held_outside.push_back(open.lock);
            }
            own.open.push_back(std::move(taken));
        }
    }
    for (auto open = own.open.begin(); open != own.open.end();) {
        if (std::find(held.begin(), held.end(), open->lock) == held.end()) {
            own.last = *open;
            open = own.open.erase(open);
        } else {
            ++open;
        }
    }

    switch (operation.kind) {
        case OpKind::SemWait:
        case OpKind::SemTryWait:
            if (step.outcome.result == 0 && !step.outcome.cancelled) {
                own.others.push_back(operation.object);
            }
            break;
        case OpKind::OnceEnter:
            if (step.outcome.run_once_routine) {
                own.others.push_back(operation.object);
            }
            break;
        case OpKind::SemPost:
        case OpKind::OnceDone:
        case OpKind::OnceAbort: {
            const auto unit = std::find(own.others.begin(), own.others.end(), operation.object);
            if (unit != own.others.end()) {
                own.others.erase(unit);
            }
            break;
        }
        default:
            break;
    }
    own.steps += 1;
    steps += 1;
}

bool holds_something(ThreadId thread, const Monitors& monitors, const SyncModel& model, ObjectId except) {
    if (!monitors.of(thread).others.empty()) {
        return true;
    }
    const std::vector<ObjectId>& held = model.held(thread);
    return std::any_of(held.begin(), held.end(), [&](ObjectId object) { return object != except; });
}

}  // namespace coopcheck
