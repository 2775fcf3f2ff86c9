#include "core/operation.hpp"

#include <array>

#include "core/check.hpp"

namespace coopcheck {

namespace {

using enum Touch;

// clang-format off
constexpr std::array<OpTraits, op_kind_count> table{{
    // kind                     name                        class                    mover           object mutex  target own    tests  cancel
    {OpKind::ThreadStart,     "thread start",             ObjectClass::None,       Mover::Local,   None,  None,  None,  Read,  false, false},
    {OpKind::ThreadCreate,    "pthread_create",           ObjectClass::None,       Mover::Release, None,  None,  Write, None,  false, false},
    {OpKind::ThreadJoin,      "pthread_join",             ObjectClass::None,       Mover::Acquire, None,  None,  Write, Read,  false, true},
    {OpKind::ThreadTryJoin,   "pthread_tryjoin_np",       ObjectClass::None,       Mover::Alone,   None,  None,  Write, None,  false, false},
    {OpKind::ThreadExit,      "thread exit",              ObjectClass::None,       Mover::Release, None,  None,  None,  Write, false, false},
    {OpKind::ThreadDetach,    "pthread_detach",           ObjectClass::None,       Mover::Alone,   None,  None,  Write, None,  false, false},
    {OpKind::ThreadCancel,    "pthread_cancel",           ObjectClass::None,       Mover::Alone,   None,  None,  Write, None,  false, false},
    {OpKind::ThreadTestCancel,"pthread_testcancel",       ObjectClass::None,       Mover::Alone,   None,  None,  None,  Read,  false, true},
    {OpKind::MutexLock,       "pthread_mutex_lock",       ObjectClass::Mutex,      Mover::Acquire, Write, None,  None,  None,  false, false},
    {OpKind::MutexTryLock,    "pthread_mutex_trylock",    ObjectClass::Mutex,      Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::MutexUnlock,     "pthread_mutex_unlock",     ObjectClass::Mutex,      Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::MutexConsistent, "pthread_mutex_consistent", ObjectClass::Mutex,      Mover::Local,   Write, None,  None,  None,  false, false},
    {OpKind::MutexDestroy,    "pthread_mutex_destroy",    ObjectClass::Mutex,      Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::CondWait,        "pthread_cond_wait",        ObjectClass::Condition,  Mover::Release, Write, Write, None,  None,  false, false},
    {OpKind::CondResume,      "return of cond_wait",      ObjectClass::Condition,  Mover::Acquire, None,  Write, None,  Read,  false, true},
    {OpKind::CondSignal,      "pthread_cond_signal",      ObjectClass::Condition,  Mover::Alone,   Write, None,  None,  None,  false, false},
    {OpKind::CondBroadcast,   "pthread_cond_broadcast",   ObjectClass::Condition,  Mover::Alone,   Write, None,  None,  None,  false, false},
    {OpKind::CondDestroy,     "pthread_cond_destroy",     ObjectClass::Condition,  Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::RwReadLock,      "pthread_rwlock_rdlock",    ObjectClass::RwLock,     Mover::Acquire, Read,  None,  None,  None,  false, false},
    {OpKind::RwTryReadLock,   "pthread_rwlock_tryrdlock", ObjectClass::RwLock,     Mover::Alone,   Read,  None,  None,  None,  true,  false},
    {OpKind::RwWriteLock,     "pthread_rwlock_wrlock",    ObjectClass::RwLock,     Mover::Acquire, Write, None,  None,  None,  false, false},
    {OpKind::RwWriteResume,   "return of wrlock",         ObjectClass::RwLock,     Mover::Acquire, Write, None,  None,  None,  false, false},
    {OpKind::RwTryWriteLock,  "pthread_rwlock_trywrlock", ObjectClass::RwLock,     Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::RwUnlock,        "pthread_rwlock_unlock",    ObjectClass::RwLock,     Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::RwDestroy,       "pthread_rwlock_destroy",   ObjectClass::RwLock,     Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::SpinLock,        "pthread_spin_lock",        ObjectClass::SpinLock,   Mover::Acquire, Write, None,  None,  None,  false, false},
    {OpKind::SpinTryLock,     "pthread_spin_trylock",     ObjectClass::SpinLock,   Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::SpinUnlock,      "pthread_spin_unlock",      ObjectClass::SpinLock,   Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::SpinDestroy,     "pthread_spin_destroy",     ObjectClass::SpinLock,   Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::SemWait,         "sem_wait",                 ObjectClass::Semaphore,  Mover::Acquire, Write, None,  None,  Read,  false, true},
    {OpKind::SemTryWait,      "sem_trywait",              ObjectClass::Semaphore,  Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::SemPost,         "sem_post",                 ObjectClass::Semaphore,  Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::SemGetValue,     "sem_getvalue",             ObjectClass::Semaphore,  Mover::Alone,   Read,  None,  None,  None,  true,  false},
    {OpKind::SemDestroy,      "sem_destroy",              ObjectClass::Semaphore,  Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::SemOpen,         "sem_open",                 ObjectClass::None,       Mover::Alone,   Write, None,  None,  None,  false, false},
    {OpKind::SemClose,        "sem_close",                ObjectClass::Semaphore,  Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::SemUnlink,       "sem_unlink",               ObjectClass::None,       Mover::Alone,   Write, None,  None,  None,  false, false},
    {OpKind::BarrierWait,     "pthread_barrier_wait",     ObjectClass::Barrier,    Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::BarrierResume,   "return of barrier_wait",   ObjectClass::Barrier,    Mover::Acquire, None,  None,  None,  None,  false, false},
    {OpKind::BarrierDestroy,  "pthread_barrier_destroy",  ObjectClass::Barrier,    Mover::Alone,   Write, None,  None,  None,  true,  false},
    {OpKind::OnceEnter,       "pthread_once",             ObjectClass::Once,       Mover::Acquire, Write, None,  None,  None,  false, false},
    {OpKind::OnceDone,        "once routine done",        ObjectClass::Once,       Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::OnceAbort,       "once routine left",        ObjectClass::Once,       Mover::Release, Write, None,  None,  None,  false, false},
    {OpKind::FutexWait,       "futex wait",               ObjectClass::Futex,      Mover::Alone,   Write, None,  None,  None,  false, false},
    {OpKind::FutexResume,     "return of futex wait",     ObjectClass::Futex,      Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::FutexWake,       "futex wake",               ObjectClass::Futex,      Mover::Alone,   Write, None,  None,  None,  false, false},
    {OpKind::Sleep,           "sleep",                    ObjectClass::None,       Mover::Alone,   None,  None,  None,  Read,  false, true},
    {OpKind::Yield,           "sched_yield",              ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::Choose,          "choose",                   ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::Read,            "read",                     ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::Write,           "write",                    ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::ReadWrite,       "read and write",           ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::SystemCall,      "system call",              ObjectClass::None,       Mover::Alone,   None,  None,  None,  Read,  false, true},
    {OpKind::Output,          "output",                   ObjectClass::None,       Mover::Local,   None,  None,  None,  None,  false, false},
    {OpKind::ProcessExit,     "exit",                     ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
    {OpKind::Failure,         "failure",                  ObjectClass::None,       Mover::Alone,   None,  None,  None,  None,  false, false},
}};
// clang-format on

// A row that is missing or out of place does not compile.
constexpr bool rows_are_in_order() {
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (table[row].kind != static_cast<OpKind>(row) || table[row].name.empty()) {
            return false;
        }
    }
    return true;
}
static_assert(rows_are_in_order());

}  // namespace

const OpTraits& traits(OpKind kind) {
    COOPCHECK_CHECK(kind < OpKind::Count_, "an operation of no kind");
    return table[static_cast<std::size_t>(kind)];
}

}  // namespace coopcheck
