// Conditions, semaphores, barriers, once, futexes and threads of SyncModel.
#include <algorithm>
#include <cerrno>

#include "core/check.hpp"
#include "core/sync_model.hpp"

namespace coopcheck {

namespace {

/// What pthread_barrier_wait returns to one thread of each round.
constexpr int serial_thread = -1;
constexpr std::uint32_t sem_value_max = 2147483647;

/// Waiters are kept sorted: which one is woken is a choice, so the order of arrival is not state.
void add_waiter(std::vector<ThreadId>& waiters, ThreadId thread) {
    waiters.insert(std::upper_bound(waiters.begin(), waiters.end(), thread), thread);
}

/// The nth subset of `size` elements, in lexicographic order of positions.
std::vector<ThreadId> nth_subset(const std::vector<ThreadId>& all, std::size_t size, std::uint32_t nth) {
    std::vector<bool> chosen(all.size(), false);
    std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(size), true);
    for (std::uint32_t skipped = 0; skipped < nth; ++skipped) {
        COOPCHECK_CHECK(std::prev_permutation(chosen.begin(), chosen.end()), "no such subset of waiters");
    }
    std::vector<ThreadId> subset;
    for (std::size_t position = 0; position < all.size(); ++position) {
        if (chosen[position]) {
            subset.push_back(all[position]);
        }
    }
    return subset;
}

}  // namespace

Outcome SyncModel::apply_condition(ThreadId thread, const Operation& operation, Variant variant) {
    ObjectState& condition = at(operation.object);
    const auto leave = [&](ThreadId waiter, WakeReason reason) {
        std::erase(condition.waiters, waiter);
        wake(waiter, reason);
        if (condition.waiters.empty()) {
            condition.mutex = ObjectId{};
        }
    };
    switch (operation.kind) {
        case OpKind::CondWait: {
            ObjectState& mutex = at(operation.mutex);
            if (mutex.owner != thread) {
                return {.result = mutex.mutex_kind == MutexKind::Normal && !mutex.robust ? 0 : EPERM,
                        .misuse = Misuse::WaitWithoutMutex};
            }
            if (!condition.waiters.empty() && condition.mutex != operation.mutex) {
                return {.result = 0, .misuse = Misuse::TwoMutexesOneCondition};
            }
            // glibc gives up one level of a recursive mutex only; a second level stays held.
            give_mutex_up(thread, operation.mutex);
            if (mutex.owner.valid() && mutex.inconsistent) {
                return {.result = ENOTRECOVERABLE};
            }
            mutex.condition_waits += 1;
            condition.mutex = operation.mutex;
            add_waiter(condition.waiters, thread);
            wake(thread, WakeReason::None);
            Operation second_half = operation;
            second_half.kind = OpKind::CondResume;
            return {.result = 0, .parked_at = second_half, .released = true};
        }
        case OpKind::CondResume: {
            if (variant.kind == Variant::Kind::Cancel) {
                leave(thread, WakeReason::Cancel);
                return {.result = 0, .parked_at = operation};
            }
            if (variant.kind == Variant::Kind::Spurious) {
                spurious_left_ -= 1;
                leave(thread, WakeReason::Spurious);
                return {.result = 0, .parked_at = operation};
            }
            const WakeReason reason = this->thread(thread).wake;
            wake(thread, WakeReason::None);
            at(operation.mutex).condition_waits -= 1;
            const int locked = take_mutex(thread, operation.mutex);
            if (reason == WakeReason::Cancel) {
                return cancelled(thread, locked);
            }
            return {.result = locked != 0 ? locked : (reason == WakeReason::Timeout ? ETIMEDOUT : 0)};
        }
        case OpKind::CondSignal:
            if (variant.kind == Variant::Kind::Wake) {
                leave(variant.thread, WakeReason::Signal);
            }
            return {.result = 0, .released = variant.kind == Variant::Kind::Wake};
        case OpKind::CondBroadcast: {
            const std::vector<ThreadId> all = condition.waiters;
            for (const ThreadId waiter : all) {
                leave(waiter, WakeReason::Signal);
            }
            return {.result = 0, .released = !all.empty()};
        }
        case OpKind::CondDestroy:
            if (!condition.waiters.empty()) {
                return {.result = EBUSY, .misuse = Misuse::DestroyWhileInUse};
            }
            condition.destroyed = true;
            return {};
        default:
            COOPCHECK_CHECK(false, "not an operation on a condition");
    }
}

Outcome SyncModel::apply_semaphore(ThreadId /*thread*/, const Operation& operation) {
    ObjectState& semaphore = at(operation.object);
    switch (operation.kind) {
        case OpKind::SemTryWait:
            if (semaphore.count == 0) {
                return {.result = EAGAIN};
            }
            [[fallthrough]];
        case OpKind::SemWait:
            semaphore.count -= 1;
            return {};
        case OpKind::SemPost:
            if (semaphore.count == sem_value_max) {
                return {.result = EOVERFLOW};
            }
            semaphore.count += 1;
            return {.result = 0, .released = true};
        case OpKind::SemGetValue:
            return {.result = static_cast<int>(semaphore.count)};
        case OpKind::SemDestroy:
            semaphore.destroyed = true;
            return {};
        case OpKind::SemClose:
            // Gone for this process, though the name may still stand for it: see SemOpen.
            semaphore.destroyed = operation.value != 0;
            return {};
        default:
            COOPCHECK_CHECK(false, "not an operation on a semaphore");
    }
}

Outcome SyncModel::apply_barrier(ThreadId thread, const Operation& operation) {
    ObjectState& barrier = at(operation.object);
    switch (operation.kind) {
        case OpKind::BarrierWait: {
            if (barrier.count + 1 == barrier.needed) {
                for (const ThreadId waiter : barrier.waiters) {
                    wake(waiter, WakeReason::Signal);
                }
                barrier.waiters.clear();
                barrier.count = 0;
                return {.result = serial_thread, .released = true};
            }
            barrier.count += 1;
            add_waiter(barrier.waiters, thread);
            wake(thread, WakeReason::None);
            Operation second_half = operation;
            second_half.kind = OpKind::BarrierResume;
            return {.result = 0, .parked_at = second_half, .released = true};
        }
        case OpKind::BarrierResume:
            wake(thread, WakeReason::None);
            return {};
        case OpKind::BarrierDestroy:
            if (barrier.count > 0) {
                return {.result = EBUSY, .misuse = Misuse::DestroyWhileInUse};
            }
            barrier.destroyed = true;
            return {};
        default:
            COOPCHECK_CHECK(false, "not an operation on a barrier");
    }
}

Outcome SyncModel::apply_once(ThreadId thread, const Operation& operation) {
    ObjectState& once = at(operation.object);
    switch (operation.kind) {
        case OpKind::OnceEnter:
            if (once.done) {
                return {};
            }
            if (once.owner == thread) {
                return {.result = EDEADLK, .misuse = Misuse::OnceRecursion};
            }
            once.owner = thread;
            return {.result = 0, .run_once_routine = true};
        case OpKind::OnceDone:
        case OpKind::OnceAbort:
            COOPCHECK_CHECK(once.owner == thread, "a once routine ended in another thread");
            once.owner = ThreadId{};
            once.done = operation.kind == OpKind::OnceDone;
            return {.result = 0, .released = true};
        default:
            COOPCHECK_CHECK(false, "not an operation on a once");
    }
}

Outcome SyncModel::apply_futex(ThreadId thread, const Operation& operation, Variant variant) {
    ObjectState& futex = at(operation.object);
    switch (operation.kind) {
        case OpKind::FutexWait: {
            if (operation.value == 0) {
                return {.result = EAGAIN};
            }
            add_waiter(futex.waiters, thread);
            wake(thread, WakeReason::None);
            Operation second_half = operation;
            second_half.kind = OpKind::FutexResume;
            return {.result = 0, .parked_at = second_half};
        }
        case OpKind::FutexResume: {
            const WakeReason reason = this->thread(thread).wake;
            wake(thread, WakeReason::None);
            return {.result = reason == WakeReason::Timeout ? ETIMEDOUT : 0};
        }
        case OpKind::FutexWake: {
            std::vector<ThreadId> woken;
            if (variant.kind == Variant::Kind::Wake) {
                woken = {variant.thread};
            } else if (variant.kind == Variant::Kind::Subset) {
                woken = nth_subset(futex.waiters, static_cast<std::size_t>(operation.value), variant.value);
            } else if (operation.value > 0) {
                woken = futex.waiters;
            }
            for (const ThreadId waiter : woken) {
                std::erase(futex.waiters, waiter);
                wake(waiter, WakeReason::Signal);
            }
            return {.result = static_cast<int>(woken.size()), .released = !woken.empty()};
        }
        default:
            COOPCHECK_CHECK(false, "not an operation on a futex");
    }
}

Outcome SyncModel::apply_timeout(ThreadId thread, const Operation& operation) {
    COOPCHECK_CHECK(can_time_out(thread, operation), "a timeout of an operation that does not wait");
    if (operation.kind == OpKind::CondResume) {
        ObjectState& condition = at(operation.object);
        std::erase(condition.waiters, thread);
        if (condition.waiters.empty()) {
            condition.mutex = ObjectId{};
        }
        wake(thread, WakeReason::Timeout);
        return {.result = 0, .parked_at = operation};
    }
    if (operation.kind == OpKind::FutexResume || operation.kind == OpKind::RwWriteResume) {
        std::erase(at(operation.object).waiters, thread);
    }
    // A writer that had arrived kept readers out.
    return {.result = ETIMEDOUT, .released = operation.kind == OpKind::RwWriteResume};
}

Outcome SyncModel::end_thread(ThreadId thread) {
    ThreadState& state = at(thread);
    const std::vector<ObjectId> held = state.held;
    for (const ObjectId object : held) {
        ObjectState& lock = at(object);
        if (!lock.robust) {
            return {.result = 0, .misuse = Misuse::ExitHoldingLock};
        }
        lock.owner = ThreadId{};
        lock.count = 0;
        if (lock.inconsistent) {
            lock.inconsistent = false;
        }
        lock.owner_died = true;
    }
    state.held.clear();
    state.life = ThreadState::Life::Ended;
    return {.result = 0, .released = true};
}

Outcome SyncModel::apply_thread(ThreadId thread, const Operation& operation, Variant variant) {
    const auto claim = [&]() -> std::optional<Misuse> {
        const ThreadState& target = this->thread(operation.thread);
        if (target.detached) {
            return Misuse::JoinDetached;
        }
        if (target.life == ThreadState::Life::Joined) {
            return Misuse::JoinTwice;
        }
        return std::nullopt;
    };
    switch (operation.kind) {
        case OpKind::ThreadCreate:
            add_thread(operation.thread, operation.value != 0);
            return {.result = 0, .released = true};
        case OpKind::ThreadJoin:
            if (const auto misuse = claim()) {
                return {.result = EINVAL, .misuse = misuse};
            }
            if (operation.thread == thread) {
                return {.result = EDEADLK};
            }
            at(operation.thread).life = ThreadState::Life::Joined;
            return {};
        case OpKind::ThreadTryJoin:
            if (live(operation.thread)) {  // glibc looks at this first
                return {.result = EBUSY, .misuse = claim()};
            }
            if (const auto misuse = claim()) {
                return {.result = EINVAL, .misuse = misuse};
            }
            at(operation.thread).life = ThreadState::Life::Joined;
            return {};
        case OpKind::ThreadDetach:
            if (const auto misuse = claim()) {
                return {.result = EINVAL, .misuse = misuse};
            }
            at(operation.thread).detached = true;
            return {};
        case OpKind::ThreadCancel:
            if (this->thread(operation.thread).life == ThreadState::Life::Live) {
                at(operation.thread).cancel_requested = true;
            }
            return {};
        case OpKind::ThreadExit:
            return end_thread(thread);
        case OpKind::Choose:
            return {.result = static_cast<int>(variant.value)};
        default:
            return {};  // start, sleep, yield, names, memory, output, exit: nothing here to change
    }
}

}  // namespace coopcheck
