#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/lock_step_thread.hpp"
#include "tests/core/model_bench.hpp"
#include "tests/core/native_objects.hpp"
#include "tests/core/whole_call.hpp"

// What happens around threads that really wait in glibc, next to the model.

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

constexpr ObjectId mutex = first;
constexpr ObjectId condition = second;
const Operation wait = wait_on(condition, mutex);
const Operation resume = resumed(wait, OpKind::CondResume);

/// T0, the calling thread, and two workers; objects in the model and in glibc.
struct Stage {
    Bench bench;
    NativeObjects native;
    LockStepThread worker_1;
    LockStepThread worker_2;

    void make(ObjectId object, const ObjectInit& how, bool other = false) {
        REQUIRE(bench.model.init(object, how) == std::nullopt);
        REQUIRE(native.init(object, how, other) == 0);
    }
    LockStepThread& worker(ThreadId thread) { return thread == t1 ? worker_1 : worker_2; }

    /// Makes the call on both sides and returns the result, which is the same. A misuse changes nothing in
    /// glibc.
    int call(ThreadId thread, const Operation& operation) {
        const auto predicted = whole_call(bench.model, thread, operation);
        REQUIRE(predicted.has_value());
        const auto in_glibc = [&] { return native.call(operation); };
        const int result = thread == t0 ? in_glibc() : worker(thread).call(in_glibc);
        CHECK(result == predicted->result);
        if (!predicted->misuse) {
            bench.model = predicted->after;
        }
        return result;
    }

    /// T1 locks the mutex and waits for the condition; when this returns, it waits.
    void let_t1_wait() {
        make(mutex, {.object_class = ObjectClass::Mutex});
        make(condition, {.object_class = ObjectClass::Condition});
        call(t1, on(OpKind::MutexLock, mutex));
        bench.run(t1, wait);
        worker_1.begin([&] { return native.call(wait); });
        worker_1.wait_until_asleep();
    }
};

}  // namespace

TEST_CASE("a writer that waits in glibc keeps the same threads out as in the model") {
    struct Case {
        RwPolicy policy;
        bool other;
        int readers_get;
        int timed_readers_get;
    };
    for (const auto& [policy, other, readers_get, timed_readers_get] :
         {Case{RwPolicy::PreferReader, false, 0, 0}, Case{RwPolicy::PreferReader, true, 0, 0},
          Case{RwPolicy::PreferWriter, false, EBUSY, ETIMEDOUT}}) {
        Stage stage;
        stage.make(first, {.object_class = ObjectClass::RwLock, .rw_policy = policy}, other);
        const Operation wrlock = on(OpKind::RwWriteLock, first);
        CHECK(stage.call(t0, on(OpKind::RwReadLock, first)) == 0);
        stage.worker_1.begin([&] { return stage.native.call(wrlock); });
        stage.worker_1.wait_until_asleep();
        if (policy == RwPolicy::PreferWriter) {
            stage.bench.run(t1, wrlock);
        }
        for (const ThreadId thread : {t0, t2}) {
            CHECK(stage.call(thread, on(OpKind::RwTryWriteLock, first)) == EBUSY);
            CHECK(stage.call(thread, timed(wrlock)) == ETIMEDOUT);
            const int tried = stage.call(thread, on(OpKind::RwTryReadLock, first));
            CHECK(tried == readers_get);
            const int waited = stage.call(thread, timed(on(OpKind::RwReadLock, first)));
            CHECK(waited == timed_readers_get);
            for (const int result : {tried, waited}) {
                if (result == 0) {
                    CHECK(stage.call(thread, on(OpKind::RwUnlock, first)) == 0);
                }
            }
        }
        CHECK(stage.call(t0, on(OpKind::RwUnlock, first)) == 0);
        CHECK(stage.worker_1.finish() == 0);
        CHECK(stage.bench.run(
                  t1, policy == RwPolicy::PreferWriter ? on(OpKind::RwWriteResume, first) : wrlock) == done);
        CHECK(stage.call(t2, on(OpKind::RwTryReadLock, first)) == EBUSY);
        CHECK(stage.call(t1, on(OpKind::RwUnlock, first)) == 0);
    }
}

TEST_CASE("glibc refuses to destroy a mutex that a wait will take again, as the model does") {
    Stage stage;
    stage.let_t1_wait();
    CHECK(stage.call(t0, on(OpKind::MutexDestroy, mutex)) == EBUSY);
    CHECK(stage.call(t0, on(OpKind::CondSignal, condition)) == 0);
    CHECK(stage.worker_1.finish() == 0);
    CHECK(stage.bench.run(t1, resume) == done);
    CHECK(stage.call(t1, on(OpKind::MutexUnlock, mutex)) == 0);
    CHECK(stage.call(t0, on(OpKind::MutexDestroy, mutex)) == 0);
}

TEST_CASE("a condition can be destroyed in glibc when its waiters are woken, as in the model") {
    Stage stage;
    stage.let_t1_wait();
    CHECK(stage.call(t0, on(OpKind::MutexLock, mutex)) == 0);
    CHECK(stage.call(t0, on(OpKind::CondBroadcast, condition)) == 0);
    CHECK(stage.call(t0, on(OpKind::CondDestroy, condition)) == 0);
    CHECK_FALSE(stage.bench.enabled(t1, resume));
    CHECK(stage.call(t0, on(OpKind::MutexUnlock, mutex)) == 0);
    CHECK(stage.worker_1.finish() == 0);
    CHECK(stage.bench.run(t1, resume) == done);
}

TEST_CASE("the serial thread can destroy the barrier at once in glibc, as in the model") {
    Stage stage;
    stage.make(first, {.object_class = ObjectClass::Barrier, .value = 2});
    const auto arrive_and_destroy = [&] {
        const int result = stage.native.call(on(OpKind::BarrierWait, first));
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
            CHECK(stage.native.call(on(OpKind::BarrierDestroy, first)) == 0);
        }
        return result;
    };
    stage.worker_1.begin(arrive_and_destroy);
    stage.worker_1.wait_until_asleep();
    stage.bench.run(t1, OpKind::BarrierWait, first);
    // Who arrives last is the serial one, in both.
    CHECK(arrive_and_destroy() == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(stage.bench.run(t0, OpKind::BarrierWait, first).result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(stage.bench.run(t0, OpKind::BarrierDestroy, first) == done);
    CHECK(stage.worker_1.finish() == 0);
    CHECK(stage.bench.run(t1, OpKind::BarrierResume, first) == done);
}

TEST_CASE("glibc refuses the first values that the model calls a misuse") {
    NativeObjects native;
    for (const auto& [object_class, value] : {std::pair{ObjectClass::Semaphore, std::int64_t{-1}},
                                              std::pair{ObjectClass::Semaphore, std::int64_t{1} << 31U},
                                              std::pair{ObjectClass::Barrier, std::int64_t{0}},
                                              std::pair{ObjectClass::Barrier, std::int64_t{-1}}}) {
        SyncModel model;
        CHECK(model.init(first, {.object_class = object_class, .value = value}).has_value());
        CHECK(native.init(first, {.object_class = object_class, .value = value}) == EINVAL);
    }
}
