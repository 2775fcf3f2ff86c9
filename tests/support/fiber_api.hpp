#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/ids.hpp"
#include "core/operation.hpp"
#include "core/sync_objects.hpp"

namespace coopcheck::testing {

class FiberExecution;

/// The synchronization objects of a model program: one type per class, so that they do not mix.
struct Mutex {
    ObjectId id;
};
struct Condition {
    ObjectId id;
};
struct RwLock {
    ObjectId id;
};
struct Spin {
    ObjectId id;
};
struct Semaphore {
    ObjectId id;
};
struct Barrier {
    ObjectId id;
};
struct Once {
    ObjectId id;
};

/// A shared variable. Its accesses are atomic if it was declared so.
struct Var {
    std::uint32_t index = 0;
};

/// What the threads of a model program can do. There is one Api for all threads of an execution; it lives
/// as long as the execution, so threads may capture it by reference. Handles are captured by value: main may
/// end before the threads it created.
///
/// Declaring an object or variable is not a visible operation. The name decides: a declaration of a name that
/// exists in this run returns what exists, whatever the other arguments say.
///
/// Every call of an operation parks the thread, and returns what the modelled call returns once the operation
/// has been carried out: 0 or an error number, unless said otherwise. It can also leave by an exception,
/// which must not be swallowed: the thread was cancelled, or the run is over.
class Api {
  public:
    Mutex mutex(std::string_view name, MutexKind kind = MutexKind::Normal);
    Mutex robust_mutex(std::string_view name, MutexKind kind = MutexKind::Normal);
    Condition condition(std::string_view name);
    RwLock rwlock(std::string_view name, RwPolicy policy = RwPolicy::PreferReader);
    Spin spin(std::string_view name);
    Semaphore semaphore(std::string_view name, int value = 0);
    Barrier barrier(std::string_view name, int count);
    Once once(std::string_view name);
    Var var(std::string_view name, std::int64_t initial = 0);
    Var atomic(std::string_view name, std::int64_t initial = 0);

    int lock(Mutex mutex) { return on(OpKind::MutexLock, mutex.id); }
    int trylock(Mutex mutex) { return on(OpKind::MutexTryLock, mutex.id); }
    int timedlock(Mutex mutex) { return timed_on(OpKind::MutexLock, mutex.id); }
    int unlock(Mutex mutex) { return on(OpKind::MutexUnlock, mutex.id); }
    int consistent(Mutex mutex) { return on(OpKind::MutexConsistent, mutex.id); }
    int destroy(Mutex mutex) { return on(OpKind::MutexDestroy, mutex.id); }

    int wait(Condition condition, Mutex mutex) { return wait_on(condition, mutex, false); }
    int timedwait(Condition condition, Mutex mutex) { return wait_on(condition, mutex, true); }
    int signal(Condition condition) { return on(OpKind::CondSignal, condition.id); }
    int broadcast(Condition condition) { return on(OpKind::CondBroadcast, condition.id); }
    int destroy(Condition condition) { return on(OpKind::CondDestroy, condition.id); }

    int rdlock(RwLock lock) { return on(OpKind::RwReadLock, lock.id); }
    int tryrdlock(RwLock lock) { return on(OpKind::RwTryReadLock, lock.id); }
    int timedrdlock(RwLock lock) { return timed_on(OpKind::RwReadLock, lock.id); }
    int wrlock(RwLock lock) { return on(OpKind::RwWriteLock, lock.id); }
    int trywrlock(RwLock lock) { return on(OpKind::RwTryWriteLock, lock.id); }
    int timedwrlock(RwLock lock) { return timed_on(OpKind::RwWriteLock, lock.id); }
    int rwunlock(RwLock lock) { return on(OpKind::RwUnlock, lock.id); }
    int destroy(RwLock lock) { return on(OpKind::RwDestroy, lock.id); }

    int spin_lock(Spin lock) { return on(OpKind::SpinLock, lock.id); }
    int spin_trylock(Spin lock) { return on(OpKind::SpinTryLock, lock.id); }
    int spin_unlock(Spin lock) { return on(OpKind::SpinUnlock, lock.id); }
    int destroy(Spin lock) { return on(OpKind::SpinDestroy, lock.id); }

    int sem_wait(Semaphore semaphore) { return on(OpKind::SemWait, semaphore.id); }
    int sem_trywait(Semaphore semaphore) { return on(OpKind::SemTryWait, semaphore.id); }
    int sem_timedwait(Semaphore semaphore) { return timed_on(OpKind::SemWait, semaphore.id); }
    int sem_post(Semaphore semaphore) { return on(OpKind::SemPost, semaphore.id); }
    /// Returns the value.
    int sem_getvalue(Semaphore semaphore) { return on(OpKind::SemGetValue, semaphore.id); }
    int destroy(Semaphore semaphore) { return on(OpKind::SemDestroy, semaphore.id); }

    /// Returns -1 (PTHREAD_BARRIER_SERIAL_THREAD) in one thread of each round.
    int barrier_wait(Barrier barrier) { return on(OpKind::BarrierWait, barrier.id); }
    int destroy(Barrier barrier) { return on(OpKind::BarrierDestroy, barrier.id); }

    int call_once(Once once, const std::function<void()>& routine);

    ThreadId create(std::function<void()> body);
    ThreadId create_detached(std::function<void()> body);
    // On a thread that was never created these are no operations and return ESRCH.
    int join(ThreadId thread) { return on(OpKind::ThreadJoin, thread, false); }
    int timedjoin(ThreadId thread) { return on(OpKind::ThreadJoin, thread, true); }
    int tryjoin(ThreadId thread) { return on(OpKind::ThreadTryJoin, thread, false); }
    int detach(ThreadId thread) { return on(OpKind::ThreadDetach, thread, false); }
    int cancel(ThreadId thread) { return on(OpKind::ThreadCancel, thread, false); }
    [[nodiscard]] ThreadId self() const;

    /// Waits if the variable has the expected value. The comparison is reported as an atomic access.
    int futex_wait(Var var, std::int64_t expected);
    int futex_timedwait(Var var, std::int64_t expected);
    /// Returns the number of threads woken.
    int futex_wake(Var var, int count);

    void sleep() { on(OpKind::Sleep, ObjectId{}); }
    void yield() { on(OpKind::Yield, ObjectId{}); }
    /// Returns a value from 0 to count - 1.
    int choose(int count);

    std::int64_t read(Var var);
    void write(Var var, std::int64_t value);
    /// One operation (ReadWrite), atomic whatever the variable. Returns the old value.
    std::int64_t fetch_add(Var var, std::int64_t value);

    /// An assertion: if the condition does not hold the thread is parked at Failure, which ends the run.
    void check(bool condition, std::string_view text);
    /// Ends the whole process.
    [[noreturn]] void exit(int code);
    /// Operations inside carry Operation::trusted.
    template <typename Function>
    void trusted(Function&& function) {
        const TrustedRegion region(*this);
        std::forward<Function>(function)();
    }
    /// Adds to what final_state() tells about this thread.
    void record(std::int64_t value);
    /// The site of the operations and accesses that follow in this thread.
    void at(std::uint64_t site);

  private:
    friend class FiberExecution;
    explicit Api(FiberExecution& execution) : execution_(execution) {}

    class TrustedRegion {
      public:
        explicit TrustedRegion(Api& api);
        ~TrustedRegion();
        TrustedRegion(const TrustedRegion&) = delete;
        TrustedRegion& operator=(const TrustedRegion&) = delete;

      private:
        unsigned& depth_;
    };

    int on(OpKind kind, ObjectId object);
    int timed_on(OpKind kind, ObjectId object);
    int on(OpKind kind, ThreadId thread, bool timed);
    int with_value(OpKind kind, ObjectId object, std::int64_t value);
    int wait_on(Condition condition, Mutex mutex, bool timed);
    int futex_wait_on(Var var, std::int64_t expected, bool timed);
    void access(Var var, OpKind kind);

    FiberExecution& execution_;
};

/// A model program: what its main thread does.
struct FiberProgram {
    std::function<void(Api&)> main;
};

}  // namespace coopcheck::testing
