#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>

#include <atomic>
#include <functional>

namespace coopcheck {

/// A real thread that makes one call when told and then waits to be told again.
/// What takes longer than ten seconds ends the test program: a test never hangs.
class LockStepThread {
  public:
    LockStepThread();
    /// Ends the thread and joins it, unless the test did.
    ~LockStepThread();
    LockStepThread(const LockStepThread&) = delete;
    LockStepThread& operator=(const LockStepThread&) = delete;

    /// Has the thread make the call; returns what it returned.
    int call(std::function<int()> what);
    /// The two halves of call(), for a call that returns only after another thread did something.
    void begin(std::function<int()> what);
    int finish();
    /// Returns when the thread sleeps in the call it has begun.
    void wait_until_asleep() const;

    /// Has the thread end; returns when the kernel has let go of its robust mutexes and of itself.
    void end();
    /// The test has joined or detached it.
    void disown() { owned_ = false; }
    [[nodiscard]] pthread_t handle() const { return handle_; }

  private:
    static void* main(void* self);
    void work();

    pthread_t handle_{};
    pid_t tid_ = 0;
    sem_t todo_{};
    sem_t done_{};
    std::function<int()> what_;
    std::atomic<bool> in_call_ = false;
    int result_ = 0;
    bool ended_ = false;
    bool owned_ = true;
};

}  // namespace coopcheck
