#include "explorer/race_detector.hpp"

#include <algorithm>

namespace coopcheck {

bool RaceDetector::common_lock(const Record& left, const Record& right) {
    return std::any_of(left.locks.begin(), left.locks.end(), [&](const Lock& lock) {
        return std::any_of(right.locks.begin(), right.locks.end(), [&](const Lock& other) {
            return other.object == lock.object && (other.for_writing || lock.for_writing);
        });
    });
}

void RaceDetector::step(ThreadId thread, const StepResult& step, const SyncModel& model, Seen& seen) {
    all_.step(thread, step);
    without_locks_.step(thread, step);
    const Operation& operation = step.operation;
    const bool is_access = operation.kind == OpKind::Read || operation.kind == OpKind::Write ||
                           operation.kind == OpKind::ReadWrite;
    // A watched execution tells more of it: values and calls.
    const bool is_told = std::any_of(step.accesses.begin(), step.accesses.end(), [&](const Access& access) {
        return access.location == operation.location && access.site == operation.site && !access.fresh;
    });
    if (is_access && !is_told && !operation.atomic && operation.location.kind() == Location::Kind::Memory) {
        Access access{operation.location, operation.kind != OpKind::Read, false, operation.site};
        access.size = operation.size;
        access.also_read = operation.kind == OpKind::ReadWrite;
        this->access(thread, access, model, seen);
    }
    for (const Access& access : step.accesses) {
        if (access.fresh) {
            forget(access);
        } else if (access.once.valid()) {
            all_.see_once(thread, access.once);
            without_locks_.see_once(thread, access.once);
        } else if (access.atomic) {
            all_.synchronize(thread, access.location, access.write);
            without_locks_.synchronize(thread, access.location, access.write);
            for (std::uint32_t byte = 0; byte < access.size; ++byte) {
                const std::uint64_t address = access.location.value() + byte;
                if (atomic_.try_emplace(address, thread).first->second != thread) {
                    seen.atomic.insert(Location::memory(address));
                }
            }
        } else {
            this->access(thread, access, model, seen);
        }
    }
}

void RaceDetector::forget(const Access& access) {
    const std::uint64_t start = access.location.value();
    bytes_.erase(bytes_.lower_bound(start), bytes_.lower_bound(start + access.size));
}

void RaceDetector::access(ThreadId thread, const Access& access, const SyncModel& model, Seen& seen) {
    Record record{{thread, access, {}}, {}, all_.time(thread), without_locks_.time(thread)};
    if (thread.valid()) {
        for (const ObjectId lock : model.held(thread)) {
            const ObjectState& state = model.object(lock);
            record.side.locks.push_back(lock);
            record.locks.push_back(
                {lock, state.object_class != ObjectClass::RwLock || state.owner == thread});
        }
    }
    const std::size_t index = records_.size();
    records_.push_back(std::move(record));
    const Record& now = records_.back();
    for (std::uint32_t offset = 0; offset < access.size; ++offset) {
        const std::uint64_t byte = access.location.value() + offset;
        Entries& entries = bytes_[byte];
        for (const std::size_t earlier : entries) {
            compare(records_[earlier], now, byte, seen);
        }
        // One entry for each thread and direction is enough: the latest.
        std::erase_if(entries, [&](std::size_t earlier) {
            const RaceSide& side = records_[earlier].side;
            return side.thread == thread && side.access.write == access.write;
        });
        entries.push_back(index);
    }
}

void RaceDetector::compare(const Record& earlier, const Record& now, std::uint64_t byte, Seen& seen) {
    const ThreadId other = earlier.side.thread;
    const ThreadId thread = now.side.thread;
    if (other == thread || (!earlier.side.access.write && !now.side.access.write)) {
        return;
    }
    const Location location = Location::memory(byte);
    seen.shared.insert(location);
    const bool ordered = all_.knows(thread, other, earlier.time);
    if (ordered &&
        (without_locks_.knows(thread, other, earlier.time_without_locks) || common_lock(earlier, now))) {
        return;
    }
    seen.racy.insert(location);
    const auto places = std::minmax(earlier.side.access.site, now.side.access.site);
    if (told_.insert({places.first, places.second, ordered}).second) {
        seen.races.push_back({earlier.side, now.side, ordered});
    }
}

}  // namespace coopcheck
