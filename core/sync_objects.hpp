#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/operation.hpp"

namespace coopcheck {

enum class MutexKind : std::uint8_t { Normal, Recursive, ErrorChecking };

/// Who goes first when readers and writers compete.
/// PreferReader is what PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_PREFER_READER_NP and (in glibc)
/// PTHREAD_RWLOCK_PREFER_WRITER_NP give: a reader gets in whenever no writer holds the lock, so both
/// orders of a waiting reader and a waiting writer are possible and both are explored.
/// PreferWriter is PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: a writer that found the lock taken
/// keeps new readers out. Whether the writer has arrived is a step of its own, so here too both orders
/// are explored, and the reader that locks twice around a writer's arrival deadlocks as it really would.
enum class RwPolicy : std::uint8_t { PreferReader, PreferWriter };

/// How an object starts its life.
struct ObjectInit {
    ObjectClass object_class = ObjectClass::None;
    MutexKind mutex_kind = MutexKind::Normal;
    bool robust = false;
    RwPolicy rw_policy = RwPolicy::PreferReader;
    /// A semaphore's first value, a barrier's number of threads.
    std::int64_t value = 0;
};

/// The state of one synchronization object of any class: a plain value. Fields that a class
/// does not use keep their defaults, so equality is equality of states.
struct ObjectState {
    ObjectClass object_class = ObjectClass::None;
    bool destroyed = false;

    MutexKind mutex_kind = MutexKind::Normal;
    bool robust = false;
    bool owner_died = false;       ///< robust: the next lock returns EOWNERDEAD
    bool inconsistent = false;     ///< robust: locked after a death, not yet made consistent
    bool not_recoverable = false;  ///< robust: unlocked while inconsistent
    RwPolicy rw_policy = RwPolicy::PreferReader;

    /// Mutex and spin lock: who holds it. rwlock: the writer. Once: who runs the routine.
    ThreadId owner;
    /// Recursive mutex: how often. Semaphore: its value. Barrier: how many have arrived.
    std::uint32_t count = 0;
    /// Barrier: how many are needed.
    std::uint32_t needed = 0;
    /// Mutex: how many waits on a condition have given it up and will take it again.
    std::uint32_t condition_waits = 0;
    /// Once: the routine has been run.
    bool done = false;
    /// Sorted. Condition and futex: the waiting threads not yet woken.
    /// Barrier: those that have arrived. rwlock with PreferWriter: writers that have arrived.
    std::vector<ThreadId> waiters;
    /// Condition: the mutex the present waiters use.
    ObjectId mutex;
    /// rwlock: the readers inside, with how often each.
    std::vector<std::pair<ThreadId, std::uint32_t>> readers;

    friend bool operator==(const ObjectState&, const ObjectState&) = default;
};

enum class WakeReason : std::uint8_t { None, Signal, Timeout, Spurious, Cancel };

/// The state of one thread as far as synchronization is concerned.
struct ThreadState {
    enum class Life : std::uint8_t { Unborn, Live, Ended, Joined };

    Life life = Life::Unborn;
    bool detached = false;
    bool cancel_requested = false;
    bool cancel_enabled = true;
    /// Why the thread that waits (condition, barrier, futex) may go on; None while it waits.
    WakeReason wake = WakeReason::None;
    /// Locks held: mutexes, spin locks, rwlocks, in the order of acquisition; a recursive mutex or a
    /// read lock taken several times stands once.
    std::vector<ObjectId> held;

    friend bool operator==(const ThreadState&, const ThreadState&) = default;
};

}  // namespace coopcheck
