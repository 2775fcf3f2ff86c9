#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <functional>

#include "core/operation.hpp"
#include "core/sync_objects.hpp"

namespace coopcheck {

/// Real synchronization objects, operated by the words of the model.
class NativeObjects {
  public:
    static constexpr std::uint32_t most = 8;
    /// What calling pthread_once led to: returned; returned after running the routine; left by its exception.
    static constexpr int once_was_done = 0;
    static constexpr int once_ran = 1;
    static constexpr int once_threw = 2;

    /// How threads are found; set before the first operation on a thread.
    std::function<pthread_t(ThreadId)> thread_handle;

    /// Returns what the init function returned. `other` picks another way to say the same, where there is
    /// one: an adaptive instead of a normal mutex, the kind PREFER_WRITER (which glibc treats like
    /// PREFER_READER).
    int init(ObjectId object, const ObjectInit& how, bool other = false);
    /// Makes the call in the calling thread and returns its result, an error number even for semaphores. A
    /// time limit has always passed already. `other` picks the function with a clock, for OnceEnter a routine
    /// that throws.
    int call(const Operation& operation, bool other = false);

  private:
    struct Slot {
        pthread_mutex_t mutex;
        pthread_cond_t condition;
        pthread_rwlock_t rwlock;
        pthread_spinlock_t spinlock;
        sem_t semaphore;
        pthread_barrier_t barrier;
        pthread_once_t once;
    };
    [[nodiscard]] Slot& at(ObjectId object) { return slots_.at(object.index()); }
    int call_timed(const Operation& operation, bool monotonic);
    [[nodiscard]] int call_on_thread(const Operation& operation) const;

    std::array<Slot, most> slots_{};
};

}  // namespace coopcheck
