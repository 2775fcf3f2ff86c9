#include <doctest/doctest.h>
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <ctime>
#include <functional>
#include <utility>

#include "tests/core/lock_step_thread.hpp"
#include "tests/core/model_bench.hpp"

// What glibc makes of a request to cancel that is pending when a call is made, next to the model.

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

/// A thread that makes one call while a request to cancel it is pending.
class CancelledCall {
  public:
    /// `call` is made with the request pending, `cleanup` when the thread unwinds because of it.
    CancelledCall(std::function<int()> call, std::function<int()> cleanup)
        : call_(std::move(call)), cleanup_(std::move(cleanup)) {
        sem_init(&ready_, 0, 0);
        sem_init(&requested_, 0, 0);
        pthread_t thread{};
        REQUIRE(pthread_create(&thread, nullptr, &CancelledCall::main, this) == 0);
        sem_wait(&ready_);
        CHECK(pthread_cancel(thread) == 0);
        sem_post(&requested_);
        timespec deadline{};
        clock_gettime(CLOCK_MONOTONIC, &deadline);
        deadline.tv_sec += 10;
        void* value = nullptr;
        REQUIRE(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &deadline) == 0);
        cancelled_ = value == PTHREAD_CANCELED;
    }

    [[nodiscard]] bool cancelled() const { return cancelled_; }
    [[nodiscard]] int result() const { return result_; }
    [[nodiscard]] int cleanup_result() const { return cleanup_result_; }

  private:
    static void* main(void* argument) {
        auto* self = static_cast<CancelledCall*>(argument);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
        sem_post(&self->ready_);
        sem_wait(&self->requested_);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
        pthread_cleanup_push(&CancelledCall::clean_up, self);
        self->result_ = self->call_();
        pthread_cleanup_pop(0);
        return nullptr;
    }
    static void clean_up(void* argument) {
        auto* self = static_cast<CancelledCall*>(argument);
        self->cleanup_result_ = self->cleanup_();
    }

    std::function<int()> call_;
    std::function<int()> cleanup_;
    sem_t ready_{};
    sem_t requested_{};
    bool cancelled_ = false;
    int result_ = -1;
    int cleanup_result_ = -1;
};

int nothing() { return 0; }

}  // namespace

TEST_CASE("glibc cancels a sem_wait that need not wait, and nothing in the clean-up, as the model does") {
    sem_t semaphore{};
    sem_init(&semaphore, 0, 1);
    const auto wait = [&] { return sem_wait(&semaphore); };
    const CancelledCall native(wait, wait);
    CHECK(native.cancelled());
    CHECK(native.cleanup_result() == 0);
    int value = -1;
    sem_getvalue(&semaphore, &value);

    Bench bench;
    bench.make(first, ObjectClass::Semaphore, 1);
    bench.run(t0, on_thread(OpKind::ThreadCancel, t1));
    CHECK(bench.run(t1, on(OpKind::SemWait, first), Variant::cancel()).cancelled);
    CHECK(bench.run(t1, on(OpKind::SemWait, first)) == done);
    CHECK(bench.run(t0, on(OpKind::SemGetValue, first)).result == value);
}

TEST_CASE("glibc does not cancel the join of a thread that has ended, as the model does not") {
    LockStepThread ended;
    ended.end();
    const CancelledCall native([&] { return pthread_join(ended.handle(), nullptr); }, nothing);
    ended.disown();
    CHECK_FALSE(native.cancelled());

    Bench bench;
    bench.run(t2, plain(OpKind::ThreadExit));
    bench.run(t0, on_thread(OpKind::ThreadCancel, t1));
    CHECK(bench.run(t1, on_thread(OpKind::ThreadJoin, t2)) == error(native.result()));
}

TEST_CASE(
    "glibc cancels the join of a thread that lives, and the thread can still be joined, as in the model") {
    LockStepThread living;
    const CancelledCall native([&] { return pthread_join(living.handle(), nullptr); }, nothing);
    CHECK(native.cancelled());
    CHECK(pthread_tryjoin_np(living.handle(), nullptr) == EBUSY);

    Bench bench;
    bench.run(t0, on_thread(OpKind::ThreadCancel, t1));
    CHECK(bench.run(t1, on_thread(OpKind::ThreadJoin, t2), Variant::cancel()).cancelled);
    CHECK(bench.run(t0, on_thread(OpKind::ThreadTryJoin, t2)) == error(EBUSY));
}

TEST_CASE("glibc does not cancel a mutex lock, as the model does not") {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const auto lock_and_unlock = [&] { return pthread_mutex_lock(&mutex) + pthread_mutex_unlock(&mutex); };
    const CancelledCall native(lock_and_unlock, nothing);
    CHECK_FALSE(native.cancelled());

    Bench bench;
    bench.make_mutex(first, MutexKind::Normal);
    bench.run(t0, on_thread(OpKind::ThreadCancel, t1));
    CHECK(bench.run(t1, on(OpKind::MutexLock, first)) == error(native.result()));
}

TEST_CASE("a wait cancelled in glibc holds the mutex in the clean-up, as in the model") {
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const auto lock_and_wait = [&] {
        return pthread_mutex_lock(&mutex) + pthread_cond_wait(&condition, &mutex);
    };
    const CancelledCall native(lock_and_wait, [&] { return pthread_mutex_unlock(&mutex); });
    CHECK(native.cancelled());

    Bench bench;
    bench.make_mutex(first, MutexKind::ErrorChecking);
    bench.make(second, ObjectClass::Condition);
    const Operation wait = wait_on(second, first);
    bench.run(t0, on_thread(OpKind::ThreadCancel, t1));
    bench.run(t1, on(OpKind::MutexLock, first));
    bench.run(t1, wait);
    bench.run(t1, resumed(wait, OpKind::CondResume), Variant::cancel());
    CHECK(bench.run(t1, resumed(wait, OpKind::CondResume)).cancelled);
    CHECK(bench.run(t1, on(OpKind::MutexUnlock, first)).result == native.cleanup_result());
}

TEST_CASE("cancelling a thread that has ended returns 0 in glibc and in the model") {
    LockStepThread ended;
    ended.end();
    CHECK(pthread_cancel(ended.handle()) == 0);

    Bench bench;
    bench.run(t1, plain(OpKind::ThreadExit));
    CHECK(bench.run(t0, on_thread(OpKind::ThreadCancel, t1)) == done);
}
