#include "tests/core/native_objects.hpp"

#include <cerrno>
#include <ctime>

#include "core/check.hpp"

namespace coopcheck {

namespace {

constexpr timespec long_ago{0, 1};

/// Semaphores return -1 and set errno.
int number_of(int result) { return result == 0 ? 0 : errno; }

int mutex_type(MutexKind kind, bool adaptive) {
    switch (kind) {
        case MutexKind::Normal:
            return adaptive ? PTHREAD_MUTEX_ADAPTIVE_NP : PTHREAD_MUTEX_NORMAL;
        case MutexKind::Recursive:
            return PTHREAD_MUTEX_RECURSIVE;
        case MutexKind::ErrorChecking:
            return PTHREAD_MUTEX_ERRORCHECK;
    }
    return PTHREAD_MUTEX_NORMAL;
}

int init_mutex(pthread_mutex_t& mutex, const ObjectInit& how, bool adaptive) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, mutex_type(how.mutex_kind, adaptive));
    pthread_mutexattr_setrobust(&attributes, how.robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
    return pthread_mutex_init(&mutex, &attributes);
}

int init_rwlock(pthread_rwlock_t& rwlock, RwPolicy policy, bool other) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    const int prefer_reader = other ? PTHREAD_RWLOCK_PREFER_WRITER_NP : PTHREAD_RWLOCK_PREFER_READER_NP;
    pthread_rwlockattr_setkind_np(&attributes, policy == RwPolicy::PreferWriter
                                                   ? PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
                                                   : prefer_reader);
    return pthread_rwlock_init(&rwlock, &attributes);
}

thread_local int routine_runs = 0;

int call_once(pthread_once_t& once, bool routine_throws) {
    routine_runs = 0;
    try {
        pthread_once(
            &once, routine_throws ? +[] { throw 1; } : +[] { routine_runs += 1; });
    } catch (int) {
        return NativeObjects::once_threw;
    }
    return routine_runs == 0 ? NativeObjects::once_was_done : NativeObjects::once_ran;
}

}  // namespace

int NativeObjects::init(ObjectId object, const ObjectInit& how, bool other) {
    Slot& slot = at(object);
    switch (how.object_class) {
        case ObjectClass::Mutex:
            return init_mutex(slot.mutex, how, other);
        case ObjectClass::Condition:
            return pthread_cond_init(&slot.condition, nullptr);
        case ObjectClass::RwLock:
            return init_rwlock(slot.rwlock, how.rw_policy, other);
        case ObjectClass::SpinLock:
            return pthread_spin_init(&slot.spinlock, PTHREAD_PROCESS_PRIVATE);
        case ObjectClass::Semaphore:
            return number_of(sem_init(&slot.semaphore, 0, static_cast<unsigned>(how.value)));
        case ObjectClass::Barrier:
            return pthread_barrier_init(&slot.barrier, nullptr, static_cast<unsigned>(how.value));
        case ObjectClass::Once:
            slot.once = PTHREAD_ONCE_INIT;
            return 0;
        case ObjectClass::Futex:
        case ObjectClass::None:
            break;
    }
    COOPCHECK_CHECK(false, "an object that has no native counterpart");
}

int NativeObjects::call_timed(const Operation& operation, bool monotonic) {
    Slot& slot = at(operation.object);
    const clockid_t clock = CLOCK_MONOTONIC;
    switch (operation.kind) {
        case OpKind::MutexLock:
            return monotonic ? pthread_mutex_clocklock(&slot.mutex, clock, &long_ago)
                             : pthread_mutex_timedlock(&slot.mutex, &long_ago);
        case OpKind::CondWait:
            return monotonic
                       ? pthread_cond_clockwait(&slot.condition, &at(operation.mutex).mutex, clock, &long_ago)
                       : pthread_cond_timedwait(&slot.condition, &at(operation.mutex).mutex, &long_ago);
        case OpKind::RwReadLock:
            return monotonic ? pthread_rwlock_clockrdlock(&slot.rwlock, clock, &long_ago)
                             : pthread_rwlock_timedrdlock(&slot.rwlock, &long_ago);
        case OpKind::RwWriteLock:
            return monotonic ? pthread_rwlock_clockwrlock(&slot.rwlock, clock, &long_ago)
                             : pthread_rwlock_timedwrlock(&slot.rwlock, &long_ago);
        case OpKind::SemWait:
            return number_of(monotonic ? sem_clockwait(&slot.semaphore, clock, &long_ago)
                                       : sem_timedwait(&slot.semaphore, &long_ago));
        default:
            COOPCHECK_CHECK(false, "a time limit where there is none");
    }
}

int NativeObjects::call_on_thread(const Operation& operation) const {
    const pthread_t target = thread_handle(operation.thread);
    switch (operation.kind) {
        case OpKind::ThreadJoin:
            return operation.timed ? pthread_timedjoin_np(target, nullptr, &long_ago)
                                   : pthread_join(target, nullptr);
        case OpKind::ThreadTryJoin:
            return pthread_tryjoin_np(target, nullptr);
        case OpKind::ThreadDetach:
            return pthread_detach(target);
        case OpKind::ThreadCancel:
            return pthread_cancel(target);
        default:
            COOPCHECK_CHECK(false, "an operation that has no native counterpart");
    }
}

int NativeObjects::call(const Operation& operation, bool other) {
    if (traits(operation.kind).object_class == ObjectClass::None) {
        return call_on_thread(operation);
    }
    if (operation.timed) {
        return call_timed(operation, other);
    }
    Slot& slot = at(operation.object);
    switch (operation.kind) {
        case OpKind::MutexLock:
            return pthread_mutex_lock(&slot.mutex);
        case OpKind::MutexTryLock:
            return pthread_mutex_trylock(&slot.mutex);
        case OpKind::MutexUnlock:
            return pthread_mutex_unlock(&slot.mutex);
        case OpKind::MutexConsistent:
            return pthread_mutex_consistent(&slot.mutex);
        case OpKind::MutexDestroy:
            return pthread_mutex_destroy(&slot.mutex);
        case OpKind::CondWait:
            return pthread_cond_wait(&slot.condition, &at(operation.mutex).mutex);
        case OpKind::CondSignal:
            return pthread_cond_signal(&slot.condition);
        case OpKind::CondBroadcast:
            return pthread_cond_broadcast(&slot.condition);
        case OpKind::CondDestroy:
            return pthread_cond_destroy(&slot.condition);
        case OpKind::RwReadLock:
            return pthread_rwlock_rdlock(&slot.rwlock);
        case OpKind::RwTryReadLock:
            return pthread_rwlock_tryrdlock(&slot.rwlock);
        case OpKind::RwWriteLock:
            return pthread_rwlock_wrlock(&slot.rwlock);
        case OpKind::RwTryWriteLock:
            return pthread_rwlock_trywrlock(&slot.rwlock);
        case OpKind::RwUnlock:
            return pthread_rwlock_unlock(&slot.rwlock);
        case OpKind::RwDestroy:
            return pthread_rwlock_destroy(&slot.rwlock);
        case OpKind::SpinLock:
            return pthread_spin_lock(&slot.spinlock);
        case OpKind::SpinTryLock:
            return pthread_spin_trylock(&slot.spinlock);
        case OpKind::SpinUnlock:
            return pthread_spin_unlock(&slot.spinlock);
        case OpKind::SpinDestroy:
            return pthread_spin_destroy(&slot.spinlock);
        case OpKind::SemWait:
            return number_of(sem_wait(&slot.semaphore));
        case OpKind::SemTryWait:
            return number_of(sem_trywait(&slot.semaphore));
        case OpKind::SemPost:
            return number_of(sem_post(&slot.semaphore));
        case OpKind::SemGetValue: {
            int value = -1;
            sem_getvalue(&slot.semaphore, &value);
            return value;
        }
        case OpKind::SemDestroy:
            return number_of(sem_destroy(&slot.semaphore));
        case OpKind::BarrierWait:
            return pthread_barrier_wait(&slot.barrier);
        case OpKind::BarrierDestroy:
            return pthread_barrier_destroy(&slot.barrier);
        case OpKind::OnceEnter:
            return call_once(slot.once, other);
        default:
            COOPCHECK_CHECK(false, "an operation that has no native counterpart");
    }
}

}  // namespace coopcheck
