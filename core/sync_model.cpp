#include "core/sync_model.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/check.hpp"

namespace coopcheck {

namespace {

/// The number of ways to choose `few` of `many`; the lists here are a handful of waiters long.
std::uint32_t subsets(std::size_t many, std::size_t few) {
    std::uint64_t ways = 1;
    for (std::size_t i = 0; i < few; ++i) {
        ways = ways * (many - i) / (i + 1);
    }
    COOPCHECK_CHECK(ways < (1U << 20U), "more ways to wake threads than can be enumerated");
    return static_cast<std::uint32_t>(ways);
}

void mix(std::size_t& hash, std::size_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
}

}  // namespace

SyncModel::SyncModel(ModelOptions options) : options_(options), spurious_left_(options.spurious_wakeups) {
    add_thread(main_thread);
}

std::optional<Misuse> SyncModel::init(ObjectId object, const ObjectInit& how) {
    COOPCHECK_CHECK(object.valid() && how.object_class != ObjectClass::None, "an object of no class");
    if (objects_.size() <= object.index()) {
        objects_.resize(object.index() + 1);
    }
    ObjectState state;
    state.object_class = how.object_class;
    state.mutex_kind = how.mutex_kind;
    state.robust = how.robust;
    state.rw_policy = how.rw_policy;
    if (how.object_class == ObjectClass::Semaphore) {
        constexpr std::int64_t sem_value_max = 2147483647;
        if (how.value < 0 || how.value > sem_value_max) {
            return Misuse::BadSemaphoreValue;
        }
        state.count = static_cast<std::uint32_t>(how.value);
    }
    if (how.object_class == ObjectClass::Barrier) {
        if (how.value <= 0) {
            return Misuse::BadBarrierCount;
        }
        state.needed = static_cast<std::uint32_t>(how.value);
    }
    objects_[object.index()] = std::move(state);
    return std::nullopt;
}

bool SyncModel::known(ObjectId object) const {
    return object.index() < objects_.size() && objects_[object.index()].object_class != ObjectClass::None;
}

void SyncModel::set(ObjectId object, ObjectState state) {
    if (objects_.size() <= object.index()) {
        objects_.resize(object.index() + 1);
    }
    at(object) = std::move(state);
}

void SyncModel::add_thread(ThreadId thread, bool detached) {
    if (threads_.size() <= thread.index()) {
        threads_.resize(thread.index() + 1);
    }
    ThreadState& state = at(thread);
    COOPCHECK_CHECK(state.life == ThreadState::Life::Unborn, "a thread is born twice");
    state.life = ThreadState::Life::Live;
    state.detached = detached;
}

void SyncModel::set_cancel_enabled(ThreadId thread, bool enabled) { at(thread).cancel_enabled = enabled; }

const ObjectState& SyncModel::object(ObjectId object) const {
    COOPCHECK_CHECK(known(object), "an object the model does not know");
    return objects_[object.index()];
}

const ThreadState& SyncModel::thread(ThreadId thread) const {
    COOPCHECK_CHECK(thread.index() < threads_.size(), "a thread the model does not know");
    return threads_[thread.index()];
}

bool SyncModel::live(ThreadId thread) const {
    return thread.index() < threads_.size() && threads_[thread.index()].life == ThreadState::Life::Live;
}

std::optional<Misuse> SyncModel::object_misuse(const Operation& operation) const {
    if (traits(operation.kind).object_class == ObjectClass::None) {
        return std::nullopt;
    }
    // A condition, barrier or futex may be destroyed once all its waiters are woken, though they have not
    // returned yet; with waiters not woken, destroying it is the misuse.
    const bool is_second_half = operation.kind == OpKind::CondResume ||
                                operation.kind == OpKind::BarrierResume ||
                                operation.kind == OpKind::FutexResume;
    for (const ObjectId object : {operation.object, operation.mutex}) {
        if ((object == operation.mutex && !operation.mutex.valid()) ||
            (object == operation.object && is_second_half)) {
            continue;
        }
        if (!known(object)) {
            return Misuse::UseBeforeInit;
        }
        if (objects_[object.index()].destroyed) {
            return Misuse::UseAfterDestroy;
        }
    }
    return std::nullopt;
}

bool SyncModel::cancel_pending(ThreadId thread, const Operation& operation) const {
    const ThreadState& state = this->thread(thread);
    if (operation.kind == OpKind::ThreadJoin) {
        // glibc acts on a request only when it has to wait: the join of a thread that has ended returns 0.
        const ThreadState& target = this->thread(operation.thread);
        if (target.life != ThreadState::Life::Live || target.detached) {
            return false;
        }
    }
    return state.cancel_requested && state.cancel_enabled && traits(operation.kind).cancellation_point &&
           state.wake == WakeReason::None;
}

bool SyncModel::mutex_ready(ThreadId thread, const ObjectState& mutex, const Operation& operation) const {
    if (mutex.owner == thread) {
        // A timed lock of one's own normal mutex really waits and times out.
        return !(operation.timed && mutex.mutex_kind == MutexKind::Normal);
    }
    return !mutex.owner.valid();
}

bool SyncModel::rw_ready(ThreadId thread, const Operation& operation) const {
    const ObjectState& lock = object(operation.object);
    if (lock.owner == thread && operation.kind != OpKind::RwWriteResume) {
        return true;  // EDEADLK
    }
    if (operation.kind == OpKind::RwReadLock) {
        return !lock.owner.valid() && (lock.rw_policy == RwPolicy::PreferReader || lock.waiters.empty());
    }
    const bool reads = std::any_of(lock.readers.begin(), lock.readers.end(),
                                   [&](const auto& reader) { return reader.first == thread; });
    if (reads && operation.kind == OpKind::RwWriteLock) {
        return !operation.timed;  // SelfDeadlock; a timed one waits and times out
    }
    const bool is_free = !lock.owner.valid() && lock.readers.empty();
    return is_free || (operation.kind == OpKind::RwWriteLock && lock.rw_policy == RwPolicy::PreferWriter);
}

bool SyncModel::ready(ThreadId thread, const Operation& operation) const {
    if (object_misuse(operation)) {
        return true;
    }
    switch (operation.kind) {
        case OpKind::ThreadJoin: {
            const ThreadState& target = this->thread(operation.thread);
            return operation.thread == thread || target.life != ThreadState::Life::Live || target.detached;
        }
        case OpKind::MutexLock:
            return mutex_ready(thread, object(operation.object), operation);
        case OpKind::CondResume: {
            const ObjectState& mutex = object(operation.mutex);
            return this->thread(thread).wake != WakeReason::None &&
                   (!mutex.owner.valid() || mutex.owner == thread);
        }
        case OpKind::RwReadLock:
        case OpKind::RwWriteLock:
        case OpKind::RwWriteResume:
            return rw_ready(thread, operation);
        case OpKind::SpinLock: {
            const ObjectState& lock = object(operation.object);
            return !lock.owner.valid() || lock.owner == thread;
        }
        case OpKind::SemWait:
            return object(operation.object).count > 0;
        case OpKind::BarrierResume:
        case OpKind::FutexResume:
            return this->thread(thread).wake != WakeReason::None;
        case OpKind::SystemCall:
            return operation.value != 0;
        case OpKind::OnceEnter: {
            const ObjectState& once = object(operation.object);
            return once.done || !once.owner.valid() || once.owner == thread;
        }
        default:
            return true;
    }
}

bool SyncModel::can_time_out(ThreadId thread, const Operation& operation) const {
    if (!operation.timed || cancel_pending(thread, operation)) {
        return false;
    }
    if (operation.outlasted && !options_.explore_timeouts) {
        return false;
    }
    switch (operation.kind) {
        case OpKind::CondResume:
        case OpKind::FutexResume:
            return this->thread(thread).wake == WakeReason::None;
        case OpKind::ThreadJoin:
        case OpKind::MutexLock:
        case OpKind::RwReadLock:
        case OpKind::RwWriteLock:
        case OpKind::RwWriteResume:
        case OpKind::SemWait:
        case OpKind::SystemCall:
            return !ready(thread, operation);
        default:
            return false;
    }
}

void SyncModel::wake_options(const Operation& operation, std::vector<Variant>& variants) const {
    const std::vector<ThreadId>& waiters = object(operation.object).waiters;
    const std::size_t wanted = operation.kind == OpKind::CondSignal
                                   ? 1
                                   : static_cast<std::size_t>(std::max<std::int64_t>(operation.value, 0));
    if (waiters.empty() ||
        (operation.kind == OpKind::FutexWake && (wanted == 0 || wanted >= waiters.size()))) {
        variants.push_back(Variant::normal());
    } else if (wanted == 1) {
        for (const ThreadId waiter : waiters) {
            variants.push_back(Variant::wake(waiter));
        }
    } else {
        for (std::uint32_t nth = 0; nth < subsets(waiters.size(), wanted); ++nth) {
            variants.push_back(Variant::subset(nth));
        }
    }
}

void SyncModel::options(ThreadId thread, const Operation& operation, std::vector<Variant>& variants) const {
    variants.clear();
    if (object_misuse(operation)) {
        variants.push_back(Variant::normal());
        return;
    }
    if (cancel_pending(thread, operation)) {
        variants.push_back(Variant::cancel());
        return;
    }
    switch (operation.kind) {
        case OpKind::CondSignal:
        case OpKind::FutexWake:
            wake_options(operation, variants);
            return;
        case OpKind::Choose:
            for (std::int64_t value = 0; value < std::max<std::int64_t>(operation.value, 1); ++value) {
                variants.push_back(Variant::chosen(static_cast<std::uint32_t>(value)));
            }
            return;
        default:
            break;
    }
    if (ready(thread, operation)) {
        variants.push_back(Variant::normal());
        return;
    }
    if (options_.explore_timeouts && can_time_out(thread, operation)) {
        variants.push_back(Variant::timeout());
    }
    if (operation.kind == OpKind::CondResume && this->thread(thread).wake == WakeReason::None &&
        spurious_left_ > 0) {
        variants.push_back(Variant::spurious());
    }
}

std::vector<Variant> SyncModel::options(ThreadId thread, const Operation& operation) const {
    std::vector<Variant> variants;
    options(thread, operation, variants);
    return variants;
}

bool SyncModel::enabled(ThreadId thread, const Operation& operation) const {
    return ready(thread, operation) || cancel_pending(thread, operation) ||
           (options_.explore_timeouts && can_time_out(thread, operation)) ||
           (operation.kind == OpKind::CondResume && spurious_left_ > 0 &&
            this->thread(thread).wake == WakeReason::None);
}

Outcome SyncModel::apply(ThreadId thread, const Operation& operation, Variant variant) {
    if (const auto misuse = object_misuse(operation)) {
        return {.result = EINVAL, .misuse = misuse};
    }
    if (variant.kind == Variant::Kind::Cancel) {
        if (operation.kind != OpKind::CondResume) {
            return cancelled(thread, 0);
        }
    } else if (variant.kind == Variant::Kind::Timeout) {
        return apply_timeout(thread, operation);
    }
    switch (traits(operation.kind).object_class) {
        case ObjectClass::Mutex:
            return apply_mutex(thread, operation);
        case ObjectClass::Condition:
            return apply_condition(thread, operation, variant);
        case ObjectClass::RwLock:
            return apply_rwlock(thread, operation);
        case ObjectClass::SpinLock:
            return apply_spinlock(thread, operation);
        case ObjectClass::Semaphore:
            return apply_semaphore(thread, operation);
        case ObjectClass::Barrier:
            return apply_barrier(thread, operation);
        case ObjectClass::Once:
            return apply_once(thread, operation);
        case ObjectClass::Futex:
            return apply_futex(thread, operation, variant);
        case ObjectClass::None:
            return apply_thread(thread, operation, variant);
    }
    COOPCHECK_CHECK(false, "an object of no class");
}

Outcome SyncModel::cancelled(ThreadId thread, int result) {
    at(thread).cancel_enabled = false;  // the clean-up handlers are not cancelled again
    return {.result = result, .cancelled = true};
}

void SyncModel::hold(ThreadId thread, ObjectId object) {
    std::vector<ObjectId>& held = at(thread).held;
    if (std::find(held.begin(), held.end(), object) == held.end()) {
        held.push_back(object);
    }
}

void SyncModel::let_go(ThreadId thread, ObjectId object) { std::erase(at(thread).held, object); }

std::vector<ThreadId> SyncModel::blockers(ThreadId thread, const Operation& operation) const {
    if (enabled(thread, operation)) {
        return {};
    }
    switch (operation.kind) {
        case OpKind::ThreadJoin:
            return {operation.thread};
        case OpKind::MutexLock:
        case OpKind::SpinLock:
        case OpKind::OnceEnter:
            return {object(operation.object).owner};
        case OpKind::CondResume:
            if (this->thread(thread).wake == WakeReason::None) {
                return {};
            }
            return {object(operation.mutex).owner};
        case OpKind::RwReadLock:
        case OpKind::RwWriteLock:
        case OpKind::RwWriteResume: {
            const ObjectState& lock = object(operation.object);
            std::vector<ThreadId> all;
            if (lock.owner.valid()) {
                all.push_back(lock.owner);
            }
            if (operation.kind == OpKind::RwReadLock) {
                all.insert(all.end(), lock.waiters.begin(), lock.waiters.end());
            } else {
                for (const auto& [reader, times] : lock.readers) {
                    all.push_back(reader);
                }
            }
            return all;
        }
        default:
            return {};
    }
}

std::size_t SyncModel::hash() const {
    std::size_t hash = spurious_left_;
    for (const ObjectState& state : objects_) {
        mix(hash, static_cast<std::size_t>(state.object_class) * 64 + (state.destroyed ? 1U : 0U) +
                      (state.owner_died ? 2U : 0U) + (state.inconsistent ? 4U : 0U) +
                      (state.not_recoverable ? 8U : 0U) + (state.done ? 16U : 0U));
        mix(hash, state.owner.index());
        mix(hash, state.count);
        mix(hash, state.condition_waits);
        for (const ThreadId waiter : state.waiters) {
            mix(hash, waiter.index());
        }
        for (const auto& [reader, times] : state.readers) {
            mix(hash, reader.index() * 16 + times);
        }
    }
    for (const ThreadState& state : threads_) {
        mix(hash, static_cast<std::size_t>(state.life) * 64 + static_cast<std::size_t>(state.wake) * 8 +
                      (state.detached ? 1U : 0U) + (state.cancel_requested ? 2U : 0U) +
                      (state.cancel_enabled ? 4U : 0U));
        for (const ObjectId object : state.held) {
            mix(hash, object.index());
        }
    }
    return hash;
}

}  // namespace coopcheck
