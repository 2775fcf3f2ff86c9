#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

constexpr ObjectId mutex = first;
constexpr ObjectId condition = second;
const Operation lock = on(OpKind::MutexLock, mutex);
const Operation unlock = on(OpKind::MutexUnlock, mutex);
const Operation wait = wait_on(condition, mutex);
const Operation resume = resumed(wait, OpKind::CondResume);
const Operation timed_wait = timed(wait);
const Operation timed_resume = timed(resume);
const Operation signal = on(OpKind::CondSignal, condition);
const Operation broadcast = on(OpKind::CondBroadcast, condition);
const Operation destroy = on(OpKind::CondDestroy, condition);

Bench with_condition(ModelOptions options = {}) {
    Bench bench(options);
    bench.make_mutex(mutex, MutexKind::Normal);
    bench.make(condition, ObjectClass::Condition);
    return bench;
}

void enter_wait(Bench& bench, ThreadId thread, const Operation& how = wait) {
    REQUIRE(bench.run(thread, lock) == done);
    REQUIRE(bench.run(thread, how) ==
            Outcome{.result = 0, .parked_at = resumed(how, OpKind::CondResume), .released = true});
}

}  // namespace

TEST_CASE("a wait gives the mutex up and is not enabled again before a signal") {
    Bench bench = with_condition();
    enter_wait(bench, t1);
    CHECK(bench.model.held(t1).empty());
    CHECK_FALSE(bench.model.object(mutex).owner.valid());
    CHECK(bench.model.object(condition).waiters == std::vector{t1});
    CHECK_FALSE(bench.enabled(t1, resume));
    CHECK(bench.model.blockers(t1, resume).empty());
    CHECK_FALSE(bench.model.can_time_out(t1, resume));
}

TEST_CASE("a wait that was signalled returns when it can take the mutex again") {
    Bench bench = with_condition();
    enter_wait(bench, t1);
    bench.run(t0, lock);
    CHECK(bench.run(t0, signal, Variant::wake(t1)) == done_and_released);
    CHECK(bench.model.object(condition).waiters.empty());
    CHECK_FALSE(bench.enabled(t1, resume));
    CHECK(bench.model.blockers(t1, resume) == std::vector{t0});
    bench.run(t0, unlock);
    CHECK(bench.run(t1, resume) == done);
    CHECK(bench.model.held(t1) == std::vector{mutex});
    CHECK(bench.model.thread(t1).wake == WakeReason::None);
}

TEST_CASE("a signal or broadcast that nobody waits for does nothing") {
    Bench bench = with_condition();
    const SyncModel before = bench.model;
    CHECK(bench.options(t0, signal) == only_normal);
    CHECK(bench.run(t0, signal) == done);
    CHECK(bench.run(t0, broadcast) == done);
    CHECK(bench.model == before);
}

TEST_CASE("a signal can wake any one of the waiters") {
    Bench bench = with_condition();
    enter_wait(bench, t2);
    enter_wait(bench, t1);
    CHECK(bench.options(t0, signal) == std::vector{Variant::wake(t1), Variant::wake(t2)});
    bench.run(t0, signal, Variant::wake(t2));
    CHECK(bench.enabled(t2, resume));
    CHECK_FALSE(bench.enabled(t1, resume));
    CHECK(bench.options(t0, signal) == std::vector{Variant::wake(t1)});
}

TEST_CASE("a broadcast wakes all waiters") {
    Bench bench = with_condition();
    enter_wait(bench, t1);
    enter_wait(bench, t2);
    CHECK(bench.options(t0, broadcast) == only_normal);
    CHECK(bench.run(t0, broadcast) == done_and_released);
    CHECK(bench.enabled(t1, resume));
    CHECK(bench.enabled(t2, resume));
    CHECK(bench.run(t1, resume) == done);
    CHECK_FALSE(bench.enabled(t2, resume));
}

TEST_CASE("a timed wait that times out returns ETIMEDOUT with the mutex held") {
    Bench bench = with_condition();
    enter_wait(bench, t1, timed_wait);
    CHECK_FALSE(bench.enabled(t1, timed_resume));
    CHECK(bench.model.can_time_out(t1, timed_resume));
    bench.run(t0, lock);
    CHECK(bench.run(t1, timed_resume, Variant::timeout()) == Outcome{.result = 0, .parked_at = timed_resume});
    CHECK_FALSE(bench.enabled(t1, timed_resume));
    CHECK_FALSE(bench.model.can_time_out(t1, timed_resume));
    CHECK(bench.options(t0, signal) == only_normal);
    bench.run(t0, unlock);
    CHECK(bench.run(t1, timed_resume) == error(ETIMEDOUT));
    CHECK(bench.model.held(t1) == std::vector{mutex});
}

TEST_CASE("a timed wait that was signalled can not time out any more") {
    Bench bench = with_condition({.explore_timeouts = true});
    enter_wait(bench, t1, timed_wait);
    CHECK(bench.options(t1, timed_resume) == std::vector{Variant::timeout()});
    bench.run(t0, signal, Variant::wake(t1));
    CHECK_FALSE(bench.model.can_time_out(t1, timed_resume));
    CHECK(bench.options(t1, timed_resume) == only_normal);
    CHECK(bench.run(t1, timed_resume) == done);
}

TEST_CASE("spurious wake-ups are offered until their budget is spent") {
    Bench bench = with_condition({.spurious_wakeups = 1});
    enter_wait(bench, t1);
    enter_wait(bench, t2);
    CHECK(bench.options(t1, resume) == std::vector{Variant::spurious()});
    CHECK(bench.run(t1, resume, Variant::spurious()) == Outcome{.result = 0, .parked_at = resume});
    CHECK(bench.options(t2, resume) == no_variant);
    CHECK(bench.options(t0, signal) == std::vector{Variant::wake(t2)});
    CHECK(bench.run(t1, resume) == done);
}

TEST_CASE("a timed wait offers both timeout and spurious wake-up") {
    Bench bench = with_condition({.explore_timeouts = true, .spurious_wakeups = 2});
    enter_wait(bench, t1, timed_wait);
    CHECK(bench.options(t1, timed_resume) == std::vector{Variant::timeout(), Variant::spurious()});
}

TEST_CASE("a wait gives up one level of a recursive mutex") {
    Bench bench = with_condition();
    bench.make_mutex(mutex, MutexKind::Recursive);
    bench.run(t1, lock);
    bench.run(t1, lock);
    CHECK(bench.run(t1, wait).parked_at == resume);
    CHECK(bench.model.held(t1) == std::vector{mutex});
    CHECK_FALSE(bench.enabled(t0, lock));
    bench.run(t0, signal, Variant::wake(t1));
    CHECK(bench.run(t1, resume) == done);
    CHECK(bench.model.object(mutex).count == 2);
}

TEST_CASE("a wait without the mutex is a misuse and EPERM where the mutex knows its owner") {
    for (const auto& [kind, robust, result] :
         {std::tuple{MutexKind::Normal, false, 0}, std::tuple{MutexKind::Normal, true, EPERM},
          std::tuple{MutexKind::Recursive, false, EPERM},
          std::tuple{MutexKind::ErrorChecking, false, EPERM}}) {
        Bench bench = with_condition();
        bench.make_mutex(mutex, kind, robust);
        CHECK(bench.run(t1, wait) == misused(Misuse::WaitWithoutMutex, result));
        bench.run(t0, lock);
        CHECK(bench.run(t1, wait) == misused(Misuse::WaitWithoutMutex, result));
    }
}

TEST_CASE("two mutexes with one condition at a time are a misuse, one after the other they are not") {
    Bench bench = with_condition();
    bench.make_mutex(third, MutexKind::Normal);
    const Operation other_wait = wait_on(condition, third);
    enter_wait(bench, t1);
    bench.run(t2, OpKind::MutexLock, third);
    CHECK(Bench(bench).run(t2, other_wait) == misused(Misuse::TwoMutexesOneCondition, 0));
    bench.run(t0, signal, Variant::wake(t1));
    CHECK(bench.run(t2, other_wait).parked_at == resumed(other_wait, OpKind::CondResume));
}

TEST_CASE("the last waiter that times out leaves the condition free for another mutex") {
    Bench bench = with_condition();
    bench.make_mutex(third, MutexKind::Normal);
    enter_wait(bench, t1, timed_wait);
    bench.run(t1, timed_resume, Variant::timeout());
    bench.run(t2, OpKind::MutexLock, third);
    CHECK(bench.run(t2, wait_on(condition, third)).misuse == std::nullopt);
}

TEST_CASE("destroying a condition with waiters is a misuse") {
    Bench bench = with_condition();
    enter_wait(bench, t1);
    CHECK(bench.run(t0, destroy) == misused(Misuse::DestroyWhileInUse, EBUSY));
}

TEST_CASE("a condition may be destroyed when all waiters are woken though they have not returned") {
    Bench bench = with_condition();
    enter_wait(bench, t1);
    bench.run(t0, broadcast);
    CHECK(bench.run(t0, destroy) == done);
    CHECK(bench.run(t1, resume) == done);
    CHECK(bench.run(t0, signal) == misused(Misuse::UseAfterDestroy, EINVAL));
    CHECK(bench.run(t1, wait) == misused(Misuse::UseAfterDestroy, EINVAL));
}

TEST_CASE("a wait with a mutex that was never initialized is a misuse") {
    Bench bench = with_condition();
    CHECK(bench.run(t0, wait_on(condition, third)) == misused(Misuse::UseBeforeInit, EINVAL));
}
