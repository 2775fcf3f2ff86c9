#include "explorer/storage.hpp"

#include <algorithm>
#include <iterator>

#include "core/access.hpp"

namespace coopcheck {

namespace {

std::vector<ObjectId> both(const std::vector<ObjectId>& left, const std::vector<ObjectId>& right) {
    std::vector<ObjectId> common;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(common));
    return common;
}

/// What protects an access: for a write only what is held for writing.
std::vector<ObjectId> locks_of(ThreadId thread, bool write, const SyncModel& model) {
    std::vector<ObjectId> locks;
    for (const ObjectId lock : model.held(thread)) {
        const ObjectState& state = model.object(lock);
        if (!write || state.object_class != ObjectClass::RwLock || state.owner == thread) {
            locks.push_back(lock);
        }
    }
    std::sort(locks.begin(), locks.end());
    return locks;
}

void join(Storage::Entry& into, const Storage::Entry& from) {
    into.storage = std::max(into.storage, from.storage);
    into.threads.insert(from.threads.begin(), from.threads.end());
    into.written = into.written || from.written;
    if (from.locks) {
        into.locks = into.locks ? both(*into.locks, *from.locks) : *from.locks;
    }
}

}  // namespace

void Storage::begin_run() {
    order_ = HappensBefore{HappensBefore::Edges::WithoutLocks};
    run_.clear();
}

void Storage::see(Byte& byte, const Last& now) {
    Entry& entry = byte.entry;
    entry.threads.insert(now.thread);
    if (entry.threads.size() > 1) {
        entry.storage = std::max(entry.storage, StorageClass::Protected);
    }
    for (const Last& before : byte.last) {
        if (before.thread == now.thread || order_.knows(now.thread, before.thread, before.time)) {
            continue;
        }
        const std::vector<ObjectId> common = both(before.locks, now.locks);
        entry.locks = entry.locks ? both(*entry.locks, common) : common;
        entry.written = entry.written || before.wrote || now.wrote;
    }
    std::erase_if(byte.last, [&](const Last& before) { return before.thread == now.thread; });
    byte.last.push_back(now);
}

void Storage::see(ThreadId thread, const Access& access, const SyncModel& model) {
    if (access.location.kind() != Location::Kind::Memory) {
        return;
    }
    const Last now{thread, order_.time(thread), access.write, locks_of(thread, access.write, model)};
    for (std::uint32_t offset = 0; offset < access.size; ++offset) {
        Byte& byte = run_[Location::memory(access.location.value() + offset)];
        if (access.atomic) {
            byte.entry.threads.insert(thread);
            byte.entry.storage = StorageClass::Atomic;
        } else {
            see(byte, now);
        }
    }
    if (access.atomic) {
        order_.synchronize(thread, access.location, access.write);
    }
}

void Storage::step(ThreadId thread, const StepResult& step, const SyncModel& model) {
    order_.step(thread, step);
    const Operation& operation = step.operation;
    if (is_access(operation)) {
        Access access{operation.location, operation.kind != OpKind::Read, operation.atomic};
        access.size = operation.size;
        see(thread, access, model);
    }
    for (const Access& access : step.accesses) {
        if (access.fresh) {
            const std::uint64_t start = access.location.value();
            run_.erase(run_.lower_bound(Location::memory(start)),
                       run_.lower_bound(Location::memory(start + access.size)));
        } else if (access.once.valid()) {
            order_.see_once(thread, access.once);
        } else if (!access.freed) {
            see(thread, access, model);
        }
    }
}

void Storage::believe(const std::set<Location>& racy, const std::set<Location>& atomic) {
    for (auto& [location, byte] : run_) {
        if (racy.contains(location)) {
            byte.entry.storage = std::max(byte.entry.storage, StorageClass::Unprotected);
        }
        if (atomic.contains(location)) {
            byte.entry.storage = StorageClass::Atomic;
        }
        join(all_[location], byte.entry);
    }
}

}  // namespace coopcheck
