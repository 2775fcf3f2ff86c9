// Mutexes, spin locks and rwlocks of SyncModel: the return values are those of glibc 2.36.
#include <algorithm>
#include <cerrno>

#include "core/check.hpp"
#include "core/sync_model.hpp"

namespace coopcheck {

int SyncModel::take_mutex(ThreadId thread, ObjectId object) {
    ObjectState& mutex = at(object);
    if (mutex.not_recoverable) {
        return ENOTRECOVERABLE;
    }
    mutex.owner = thread;
    mutex.count += 1;
    hold(thread, object);
    if (mutex.owner_died) {
        mutex.owner_died = false;
        mutex.inconsistent = true;
        return EOWNERDEAD;
    }
    return 0;
}

void SyncModel::give_mutex_up(ThreadId thread, ObjectId object) {
    ObjectState& mutex = at(object);
    mutex.count -= 1;
    if (mutex.count == 0) {
        mutex.owner = ThreadId{};
        let_go(thread, object);
        if (mutex.inconsistent) {
            mutex.inconsistent = false;
            mutex.not_recoverable = true;
        }
    }
}

Outcome SyncModel::apply_mutex(ThreadId thread, const Operation& operation) {
    ObjectState& mutex = at(operation.object);
    const bool mine = mutex.owner == thread;
    switch (operation.kind) {
        case OpKind::MutexLock:
            if (mine) {
                switch (mutex.mutex_kind) {
                    case MutexKind::Normal:
                        return {.result = EDEADLK, .misuse = Misuse::SelfDeadlock};
                    case MutexKind::ErrorChecking:
                        return {.result = EDEADLK};
                    case MutexKind::Recursive:
                        break;
                }
            }
            return {.result = take_mutex(thread, operation.object)};
        case OpKind::MutexTryLock:
            if (mutex.owner.valid() && !(mine && mutex.mutex_kind == MutexKind::Recursive)) {
                return {.result = mine && mutex.robust && mutex.mutex_kind == MutexKind::ErrorChecking
                                      ? EDEADLK
                                      : EBUSY};
            }
            return {.result = take_mutex(thread, operation.object)};
        case OpKind::MutexUnlock:
            if (!mine) {
                if (mutex.robust || mutex.mutex_kind != MutexKind::Normal) {
                    return {.result = EPERM};
                }
                return {.result = 0, .misuse = Misuse::UnlockByStranger};
            }
            give_mutex_up(thread, operation.object);
            if (mutex.owner.valid()) {
                return {.result = mutex.inconsistent ? ENOTRECOVERABLE : 0};
            }
            return {.result = 0, .released = true};
        case OpKind::MutexConsistent:
            if (!mutex.robust || !mine || !mutex.inconsistent) {
                return {.result = EINVAL, .misuse = Misuse::ConsistentWithoutDeath};
            }
            mutex.inconsistent = false;
            return {};
        case OpKind::MutexDestroy:
            if (mutex.owner.valid() || mutex.condition_waits > 0) {
                return {.result = mutex.robust ? 0 : EBUSY, .misuse = Misuse::DestroyWhileInUse};
            }
            mutex.destroyed = true;
            return {};
        default:
            COOPCHECK_CHECK(false, "not an operation on a mutex");
    }
}

Outcome SyncModel::apply_spinlock(ThreadId thread, const Operation& operation) {
    ObjectState& lock = at(operation.object);
    switch (operation.kind) {
        case OpKind::SpinTryLock:
            if (lock.owner.valid()) {
                return {.result = EBUSY};
            }
            break;
        case OpKind::SpinLock:
            if (lock.owner == thread) {
                return {.result = EDEADLK, .misuse = Misuse::SelfDeadlock};
            }
            break;
        case OpKind::SpinUnlock:
            if (lock.owner != thread) {
                return {.result = 0, .misuse = Misuse::UnlockByStranger};
            }
            lock.owner = ThreadId{};
            let_go(thread, operation.object);
            return {.result = 0, .released = true};
        case OpKind::SpinDestroy:
            if (lock.owner.valid()) {
                return {.result = 0, .misuse = Misuse::DestroyWhileInUse};
            }
            lock.destroyed = true;
            return {};
        default:
            COOPCHECK_CHECK(false, "not an operation on a spin lock");
    }
    lock.owner = thread;
    hold(thread, operation.object);
    return {};
}

namespace {

/// The entry of `thread` among the readers, which are kept sorted so that equal states are equal.
auto reader_position(ObjectState& lock, ThreadId thread) {
    return std::lower_bound(lock.readers.begin(), lock.readers.end(), thread,
                            [](const auto& reader, ThreadId wanted) { return reader.first < wanted; });
}

}  // namespace

Outcome SyncModel::apply_rwlock(ThreadId thread, const Operation& operation) {
    ObjectState& lock = at(operation.object);
    const auto reader = reader_position(lock, thread);
    const bool reads = reader != lock.readers.end() && reader->first == thread;
    const auto read = [&] {
        if (reads) {
            reader->second += 1;
        } else {
            lock.readers.insert(reader, {thread, 1});
        }
        hold(thread, operation.object);
    };
    const auto write = [&] {
        lock.owner = thread;
        hold(thread, operation.object);
    };
    switch (operation.kind) {
        case OpKind::RwReadLock:
            if (lock.owner == thread) {
                return {.result = EDEADLK};
            }
            read();
            return {};
        case OpKind::RwTryReadLock:
            if (lock.owner.valid() || (lock.rw_policy == RwPolicy::PreferWriter && !lock.waiters.empty())) {
                return {.result = EBUSY};
            }
            read();
            return {};
        case OpKind::RwWriteLock:
            if (lock.owner == thread) {
                return {.result = EDEADLK};
            }
            if (reads) {
                return {.result = EDEADLK, .misuse = Misuse::SelfDeadlock};
            }
            if (lock.owner.valid() || !lock.readers.empty() || !lock.waiters.empty()) {
                lock.waiters.insert(std::upper_bound(lock.waiters.begin(), lock.waiters.end(), thread),
                                    thread);
                Operation second_half = operation;
                second_half.kind = OpKind::RwWriteResume;
                return {.result = 0, .parked_at = second_half};
            }
            write();
            return {};
        case OpKind::RwWriteResume:
            std::erase(lock.waiters, thread);
            write();
            return {};
        case OpKind::RwTryWriteLock:
            // The lock is handed over to a writer that has arrived: nobody gets in between.
            if (lock.owner.valid() || !lock.readers.empty() || !lock.waiters.empty()) {
                return {.result = EBUSY};
            }
            write();
            return {};
        case OpKind::RwUnlock:
            if (lock.owner == thread) {
                lock.owner = ThreadId{};
            } else if (reads) {
                reader->second -= 1;
                if (reader->second > 0) {
                    return {};
                }
                lock.readers.erase(reader);
            } else {
                return {.result = 0, .misuse = Misuse::UnlockByStranger};
            }
            let_go(thread, operation.object);
            return {.result = 0, .released = true};
        case OpKind::RwDestroy:
            if (lock.owner.valid() || !lock.readers.empty() || !lock.waiters.empty()) {
                return {.result = 0, .misuse = Misuse::DestroyWhileInUse};
            }
            lock.destroyed = true;
            return {};
        default:
            COOPCHECK_CHECK(false, "not an operation on a rwlock");
    }
}

}  // namespace coopcheck
