#include "explorer/happens_before.hpp"

#include <algorithm>
#include <cerrno>

namespace coopcheck {

void Clock::tick(ThreadId thread) {
    if (times_.size() <= thread.index()) {
        times_.resize(thread.index() + 1, 0);
    }
    times_[thread.index()] += 1;
}

void Clock::join(const Clock& other) {
    if (times_.size() < other.times_.size()) {
        times_.resize(other.times_.size(), 0);
    }
    for (std::size_t i = 0; i < other.times_.size(); ++i) {
        times_[i] = std::max(times_[i], other.times_[i]);
    }
}

Clock& HappensBefore::clock(ThreadId thread) {
    if (threads_.size() <= thread.index()) {
        threads_.resize(thread.index() + 1);
        thread_ends_.resize(thread.index() + 1);
    }
    Clock& own = threads_[thread.index()];
    if (own.of(thread) == 0) {
        own.tick(thread);  // times of a living thread start at 1, so that 0 means "never heard of"
    }
    return own;
}

HappensBefore::ObjectClocks& HappensBefore::object(ObjectId object) {
    if (objects_.size() <= object.index()) {
        objects_.resize(object.index() + 1);
        writes_rwlock_.resize(object.index() + 1, false);
    }
    return objects_[object.index()];
}

void HappensBefore::release(ThreadId thread, Clock& into) {
    into.join(clock(thread));
    clock(thread).tick(thread);
}

void HappensBefore::wait(ThreadId thread, const StepResult& step) {
    if (step.outcome.parked_at) {
        waiting_[thread] = Waiting{step.operation.object, false, {}};
    }
}

void HappensBefore::wake(const StepResult& step, const Clock& from) {
    const bool one = step.variant.kind == Variant::Kind::Wake;
    const bool some = step.variant.kind == Variant::Kind::Subset;  // taken for all
    for (auto& [thread, waiting] : waiting_) {
        const bool is_meant = one ? thread == step.variant.thread : waiting.object == step.operation.object;
        if (is_meant && !waiting.woken && step.outcome.released) {
            waiting.by.join(from);
            waiting.woken = !some;
        }
    }
}

void HappensBefore::resume(ThreadId thread, const StepResult& step) {
    const auto waiting = waiting_.find(thread);
    if (waiting == waiting_.end()) {
        acquire(thread, object(step.operation.object).released);  // when it began to wait was not seen
    } else if (step.outcome.parked_at) {
        waiting->second.woken = true;  // by itself; it still has to take the mutex
    } else {
        acquire(thread, waiting->second.by);
        waiting_.erase(waiting);
    }
}

void HappensBefore::step(ThreadId thread, const StepResult& step) {
    const Operation& operation = step.operation;
    // EOWNERDEAD hands the mutex over like 0 does.
    const bool failed = step.outcome.result > 0 && step.outcome.result != EOWNERDEAD;
    if (edges_ == Edges::WithoutLocks && is_lock(traits(operation.kind).object_class)) {
        return;
    }
    switch (operation.kind) {
        case OpKind::Read:
        case OpKind::Write:
        case OpKind::ReadWrite:
            if (operation.atomic) {
                synchronize(thread, operation.location, operation.kind != OpKind::Read);
            }
            return;
        case OpKind::ThreadCreate: {
            clock(operation.thread);  // grow first: references into the vector would not survive
            const Clock parent = clock(thread);
            clock(operation.thread).join(parent);
            clock(thread).tick(thread);
            return;
        }
        case OpKind::ThreadExit:
            clock(thread);
            release(thread, thread_ends_[thread.index()]);
            return;
        case OpKind::ThreadJoin:
        case OpKind::ThreadTryJoin:
            if (!failed) {
                clock(operation.thread);
                acquire(thread, thread_ends_[operation.thread.index()]);
            }
            return;
        case OpKind::CondWait:
            if (edges_ == Edges::All) {
                release(thread, object(operation.mutex).released);
            }
            wait(thread, step);
            return;
        case OpKind::CondResume:
            resume(thread, step);
            if (!step.outcome.parked_at) {
                if (edges_ == Edges::All) {
                    acquire(thread, object(operation.mutex).released);
                }
            }
            return;
        case OpKind::BarrierResume:
        case OpKind::FutexResume:
            resume(thread, step);
            return;
        case OpKind::FutexWait:
            wait(thread, step);
            break;
        case OpKind::RwReadLock:
        case OpKind::RwTryReadLock:
            if (!failed) {
                acquire(thread, object(operation.object).released);
            }
            return;
        case OpKind::RwWriteLock:
        case OpKind::RwWriteResume:
        case OpKind::RwTryWriteLock:
            if (!failed && !step.outcome.parked_at) {
                ObjectClocks& lock = object(operation.object);
                acquire(thread, lock.released);
                acquire(thread, lock.read_released);
                writes_rwlock_[operation.object.index()] = true;
            }
            return;
        case OpKind::RwUnlock: {
            ObjectClocks& lock = object(operation.object);
            const bool wrote = writes_rwlock_[operation.object.index()];
            writes_rwlock_[operation.object.index()] = false;
            release(thread, wrote ? lock.released : lock.read_released);
            return;
        }
        case OpKind::BarrierWait:
            release(thread, object(operation.object).released);
            wait(thread, step);
            if (!step.outcome.parked_at) {
                acquire(thread, object(operation.object).released);
                wake(step, object(operation.object).released);
            }
            return;
        case OpKind::SystemCall:
            // What one thread writes into a pipe, another one reads: ordered as if under a lock.
            acquire(thread, kernel_);
            release(thread, kernel_);
            return;
        default:
            break;
    }
    const OpTraits& row = traits(operation.kind);
    if (row.object_class == ObjectClass::None) {
        return;
    }
    switch (operation.kind) {
        case OpKind::CondSignal:
        case OpKind::CondBroadcast:
        case OpKind::FutexWake:
            wake(step, clock(thread));
            release(thread, object(operation.object).released);
            return;
        case OpKind::MutexUnlock:
        case OpKind::SpinUnlock:
        case OpKind::SemPost:
        case OpKind::OnceDone:
        case OpKind::OnceAbort:
            release(thread, object(operation.object).released);
            return;
        case OpKind::SemGetValue:
            return;  // learns a number, gets nothing handed over
        default:
            if (!failed) {
                acquire(thread, object(operation.object).released);
            }
            return;
    }
}

void HappensBefore::synchronize(ThreadId thread, Location location, bool write) {
    Clock& released = atomics_[location];
    acquire(thread, released);
    if (write) {
        release(thread, released);
    }
}

std::optional<HappensBefore::Race> HappensBefore::access(ThreadId thread, const Access& access) {
    const std::uint32_t now = clock(thread).of(thread);
    const Clock& known = clock(thread);
    std::vector<LastAccess>& earlier = accesses_[access.location];
    std::optional<Race> race;
    for (const LastAccess& other : earlier) {
        const bool conflict = other.thread != thread && (other.write || access.write);
        if (conflict && known.of(other.thread) < other.time) {
            race = Race{other.thread, other.write};
        }
    }
    // One entry per thread and direction is enough: the latest.
    std::erase_if(earlier, [&](const LastAccess& other) {
        return other.thread == thread && (other.write == access.write);
    });
    earlier.push_back({thread, now, access.write});
    return race;
}

}  // namespace coopcheck
