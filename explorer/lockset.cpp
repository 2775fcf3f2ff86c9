#include "explorer/lockset.hpp"

#include <algorithm>
#include <iterator>

#include "core/check.hpp"

namespace coopcheck {

namespace {

std::vector<ObjectId> locks_that_count(ThreadId thread, bool write, const SyncModel& model) {
    std::vector<ObjectId> locks;
    for (const ObjectId lock : model.held(thread)) {
        const ObjectState& state = model.object(lock);
        const bool for_writing = state.object_class != ObjectClass::RwLock || state.owner == thread;
        if (for_writing || !write) {
            locks.push_back(lock);
        }
    }
    std::sort(locks.begin(), locks.end());
    return locks;
}

}  // namespace

bool Lockset::access(ThreadId thread, const Access& access, const SyncModel& model) {
    auto [position, is_new] = entries_.try_emplace(access.location);
    Entry& entry = position->second;
    if (is_new) {
        entry.first = thread;
        return false;
    }
    const std::vector<ObjectId> held = locks_that_count(thread, access.write, model);
    if (entry.state == State::Exclusive) {
        if (entry.first == thread) {
            return false;
        }
        entry.state = access.write ? State::SharedModified : State::Shared;
        entry.candidates = held;
    } else {
        std::vector<ObjectId> both;
        std::set_intersection(entry.candidates.begin(), entry.candidates.end(), held.begin(), held.end(),
                              std::back_inserter(both));
        entry.candidates = std::move(both);
        if (access.write) {
            entry.state = State::SharedModified;
        }
    }
    return entry.state == State::SharedModified && entry.candidates.empty();
}

Lockset::State Lockset::state(Location location) const {
    const auto position = entries_.find(location);
    COOPCHECK_CHECK(position != entries_.end(), "the state of a location that was never accessed");
    return position->second.state;
}

}  // namespace coopcheck
