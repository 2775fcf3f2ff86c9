#include "explorer/deadlock.hpp"

#include <algorithm>
#include <functional>

namespace coopcheck {

namespace {

const ParkedThread* find_parked(const Execution& execution, ThreadId thread) {
    const auto all = execution.parked();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ParkedThread& parked) { return parked.thread == thread; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::vector<Wait>> find_wait_cycle(const Execution& execution, ThreadId start) {
    const SyncModel& model = execution.model();
    std::vector<Wait> path;
    std::vector<ThreadId> seen;
    const std::function<bool(ThreadId)> leads_back = [&](ThreadId thread) {
        if (!path.empty() && thread == start) {
            return true;
        }
        if (std::find(seen.begin(), seen.end(), thread) != seen.end()) {
            return false;
        }
        seen.push_back(thread);
        const ParkedThread* parked = find_parked(execution, thread);
        if (parked == nullptr || model.can_time_out(thread, parked->operation)) {
            return false;
        }
        const std::vector<ThreadId> blockers = model.blockers(thread, parked->operation);
        path.push_back({thread, parked->operation, blockers});
        if (std::any_of(blockers.begin(), blockers.end(), leads_back)) {
            return true;
        }
        path.pop_back();
        return false;
    };
    if (leads_back(start)) {
        return path;
    }
    return std::nullopt;
}

std::optional<std::vector<ChainLink>> reverse_lock_chain(const SyncModel& model, const Monitors& monitors,
                                                         ThreadId thread, const Operation& operation) {
    const ObjectClass wanted_class = traits(operation.kind).object_class;
    ObjectId wanted = operation.object;
    if (operation.kind == OpKind::CondResume) {
        wanted = operation.mutex;
    } else if (wanted_class != ObjectClass::Mutex && wanted_class != ObjectClass::SpinLock) {
        return std::nullopt;
    }
    std::vector<ChainLink> chain{{thread, wanted, std::nullopt}};
    for (;;) {
        const ThreadId owner = model.object(wanted).owner;
        if (!owner.valid()) {
            return std::nullopt;
        }
        if (owner == thread) {
            if (chain.size() == 1) {
                return std::nullopt;
            }
            return chain;
        }
        const LastLock& last = monitors.of(owner).last;
        const bool inside = last.lock.valid() && std::find(last.held_outside.begin(), last.held_outside.end(),
                                                           wanted) != last.held_outside.end();
        const bool again = std::any_of(chain.begin(), chain.end(),
                                       [&](const ChainLink& link) { return link.thread == owner; });
        if (!inside || again) {
            return std::nullopt;
        }
        chain.push_back({owner, last.lock, last.taken_at});
        wanted = last.lock;
    }
}

std::vector<Wait> all_waits(const Execution& execution) {
    std::vector<Wait> waits;
    for (const ParkedThread& parked : execution.parked()) {
        waits.push_back(
            {parked.thread, parked.operation, execution.model().blockers(parked.thread, parked.operation)});
    }
    return waits;
}

}  // namespace coopcheck
