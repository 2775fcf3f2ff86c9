#include "tracer/hooks.hpp"

#include <array>

namespace coopcheck::tracer {

namespace {

using enum CallUse;
using enum ResultStyle;
using Class = ObjectClass;

constexpr Hook operation(std::string_view name, OpKind kind, Deadline deadline = Deadline::None) {
    return {name, Complete, kind, Class::None, ErrorNumber, deadline};
}
constexpr Hook semaphore(std::string_view name, OpKind kind, Deadline deadline = Deadline::None) {
    return {name, Complete, kind, Class::None, MinusOne, deadline};
}
constexpr Hook c11(std::string_view name, OpKind kind, Deadline deadline = Deadline::None) {
    return {name, Complete, kind, Class::None, C11, deadline};
}
constexpr Hook wait(std::string_view name, ResultStyle result, Deadline deadline) {
    return {name, Complete, OpKind::CondWait, Class::None, result, deadline, true};
}
constexpr Hook native(std::string_view name, OpKind kind, Deadline deadline = Deadline::None) {
    return {name, RunNative, kind, Class::None, ErrorNumber, deadline};
}
constexpr Hook begin_life(std::string_view name, Class object_class, ResultStyle result = ErrorNumber) {
    return {name, Initialize, OpKind::ThreadStart, object_class, result};
}
constexpr Hook sender(std::string_view name) { return {name, SendSignal, OpKind::SystemCall}; }
constexpr Hook other(std::string_view name, CallUse use) { return {name, use}; }

// C11 functions that only call one of the others (mtx_init, cnd_init, thrd_create, thrd_join, thrd_detach,
// call_once) need no row.
constexpr std::array table{
    Hook{"pthread_create", Create, OpKind::ThreadCreate},
    native("pthread_join", OpKind::ThreadJoin),
    native("pthread_tryjoin_np", OpKind::ThreadTryJoin),
    native("pthread_timedjoin_np", OpKind::ThreadJoin, Deadline::Third),
    native("pthread_clockjoin_np", OpKind::ThreadJoin, Deadline::Fourth),
    native("pthread_detach", OpKind::ThreadDetach),
    native("pthread_cancel", OpKind::ThreadCancel),
    native("pthread_testcancel", OpKind::ThreadTestCancel),
    other("pthread_setcancelstate", CancelState),
    other("pthread_exit", ThreadExit),
    sender("pthread_kill"),
    sender("pthread_sigqueue"),
    sender("kill"),
    sender("sigqueue"),

    begin_life("pthread_mutex_init", Class::Mutex),
    operation("pthread_mutex_lock", OpKind::MutexLock),
    operation("pthread_mutex_trylock", OpKind::MutexTryLock),
    operation("pthread_mutex_timedlock", OpKind::MutexLock, Deadline::Second),
    operation("pthread_mutex_clocklock", OpKind::MutexLock, Deadline::Third),
    operation("pthread_mutex_unlock", OpKind::MutexUnlock),
    operation("pthread_mutex_consistent", OpKind::MutexConsistent),
    operation("pthread_mutex_destroy", OpKind::MutexDestroy),
    other("pthread_mutex_setprioceiling", Refuse),

    begin_life("pthread_cond_init", Class::Condition),
    wait("pthread_cond_wait", ErrorNumber, Deadline::None),
    wait("pthread_cond_timedwait", ErrorNumber, Deadline::Third),
    wait("pthread_cond_clockwait", ErrorNumber, Deadline::Fourth),
    operation("pthread_cond_signal", OpKind::CondSignal),
    operation("pthread_cond_broadcast", OpKind::CondBroadcast),
    operation("pthread_cond_destroy", OpKind::CondDestroy),

    begin_life("pthread_rwlock_init", Class::RwLock),
    operation("pthread_rwlock_rdlock", OpKind::RwReadLock),
    operation("pthread_rwlock_tryrdlock", OpKind::RwTryReadLock),
    operation("pthread_rwlock_timedrdlock", OpKind::RwReadLock, Deadline::Second),
    operation("pthread_rwlock_clockrdlock", OpKind::RwReadLock, Deadline::Third),
    operation("pthread_rwlock_wrlock", OpKind::RwWriteLock),
    operation("pthread_rwlock_trywrlock", OpKind::RwTryWriteLock),
    operation("pthread_rwlock_timedwrlock", OpKind::RwWriteLock, Deadline::Second),
    operation("pthread_rwlock_clockwrlock", OpKind::RwWriteLock, Deadline::Third),
    operation("pthread_rwlock_unlock", OpKind::RwUnlock),
    operation("pthread_rwlock_destroy", OpKind::RwDestroy),

    begin_life("pthread_spin_init", Class::SpinLock),
    operation("pthread_spin_lock", OpKind::SpinLock),
    operation("pthread_spin_trylock", OpKind::SpinTryLock),
    operation("pthread_spin_unlock", OpKind::SpinUnlock),
    operation("pthread_spin_destroy", OpKind::SpinDestroy),

    begin_life("sem_init", Class::Semaphore, MinusOne),
    semaphore("sem_wait", OpKind::SemWait),
    semaphore("sem_trywait", OpKind::SemTryWait),
    semaphore("sem_timedwait", OpKind::SemWait, Deadline::Second),
    semaphore("sem_clockwait", OpKind::SemWait, Deadline::Third),
    semaphore("sem_post", OpKind::SemPost),
    Hook{"sem_getvalue", Complete, OpKind::SemGetValue, Class::None, Stored},
    semaphore("sem_destroy", OpKind::SemDestroy),
    Hook{"sem_open", Name, OpKind::SemOpen, Class::None, MinusOne},
    semaphore("sem_close", OpKind::SemClose),
    Hook{"sem_unlink", Name, OpKind::SemUnlink, Class::None, MinusOne},

    begin_life("pthread_barrier_init", Class::Barrier),
    operation("pthread_barrier_wait", OpKind::BarrierWait),
    operation("pthread_barrier_destroy", OpKind::BarrierDestroy),

    Hook{"pthread_once", Once, OpKind::OnceEnter},
    // Variables in functions. The compiler calls them only as long as the first byte of the guard is 0.
    Hook{"__cxa_guard_acquire", Complete, OpKind::OnceEnter, Class::None, Guard},
    Hook{"__cxa_guard_release", Complete, OpKind::OnceDone, Class::None, Guard},
    Hook{"__cxa_guard_abort", Complete, OpKind::OnceAbort, Class::None, Guard},

    Hook{"flockfile", StreamLock, OpKind::MutexLock},
    Hook{"ftrylockfile", StreamLock, OpKind::MutexTryLock},
    Hook{"funlockfile", StreamLock, OpKind::MutexUnlock},

    // All the other functions that sleep end here.
    Hook{"clock_nanosleep", CallUse::Sleep, OpKind::Sleep},

    c11("mtx_lock", OpKind::MutexLock),
    c11("mtx_trylock", OpKind::MutexTryLock),
    c11("mtx_timedlock", OpKind::MutexLock, Deadline::Second),
    c11("mtx_unlock", OpKind::MutexUnlock),
    c11("mtx_destroy", OpKind::MutexDestroy),
    wait("cnd_wait", C11, Deadline::None),
    wait("cnd_timedwait", C11, Deadline::Third),
    c11("cnd_signal", OpKind::CondSignal),
    c11("cnd_broadcast", OpKind::CondBroadcast),
    c11("cnd_destroy", OpKind::CondDestroy),

    other("__assert_fail", AssertFail),
    other("_dl_debug_state", LoaderEvent),
    other("__libc_start_main", StartMain),
};

constexpr std::array allocators{
    other("malloc", Allocator),        other("free", Allocator),           other("calloc", Allocator),
    other("realloc", Allocator),       other("reallocarray", Allocator),   other("memalign", Allocator),
    other("aligned_alloc", Allocator), other("posix_memalign", Allocator),
};

constexpr Hook the_main_hook{"main", Main};
constexpr Hook the_spin_point_hook{"a loop", SpinPoint, OpKind::Yield};
constexpr Hook the_access_point_hook{"an access", CallUse::Access, OpKind::Read};
constexpr Hook the_bind_hook{"a first call", Bind};
constexpr Hook the_bound_hook{"a first call", Bound};
constexpr Hook spin_hook{"pthread_spin_unlock", SpinInitOrUnlock, OpKind::SpinUnlock};

}  // namespace

std::span<const Hook> all_hooks() { return table; }
std::span<const Hook> allocator_hooks() { return allocators; }
const Hook& main_hook() { return the_main_hook; }
const Hook& spin_point_hook() { return the_spin_point_hook; }
const Hook& access_point_hook() { return the_access_point_hook; }
const Hook& bind_hook() { return the_bind_hook; }
const Hook& bound_hook() { return the_bound_hook; }
const Hook& spin_init_or_unlock_hook() { return spin_hook; }

}  // namespace coopcheck::tracer
