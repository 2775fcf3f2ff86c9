#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation lock = on(OpKind::MutexLock, first);
const Operation trylock = on(OpKind::MutexTryLock, first);
const Operation unlock = on(OpKind::MutexUnlock, first);
const Operation consistent = on(OpKind::MutexConsistent, first);
const Operation thread_exit = plain(OpKind::ThreadExit);

/// T1 has ended while it held the robust mutex.
Bench after_death(MutexKind kind) {
    Bench bench;
    bench.make_mutex(first, kind, true);
    bench.run(t1, lock);
    CHECK(bench.run(t1, thread_exit) == done_and_released);
    return bench;
}

constexpr MutexKind all_kinds[] = {MutexKind::Normal, MutexKind::Recursive, MutexKind::ErrorChecking};

}  // namespace

TEST_CASE("the first to lock a robust mutex after its owner's death gets it and EOWNERDEAD") {
    for (const MutexKind kind : all_kinds) {
        for (const Operation& how : {lock, trylock, timed(lock)}) {
            Bench bench = after_death(kind);
            CHECK(bench.model.held(t1).empty());
            CHECK(bench.run(t0, unlock) == error(EPERM));
            CHECK(bench.run(t0, how) == error(EOWNERDEAD));
            CHECK(bench.model.object(first).owner == t0);
            CHECK(bench.model.held(t0) == std::vector{first});
            CHECK_FALSE(bench.enabled(t2, lock));
        }
    }
}

TEST_CASE("a robust mutex made consistent works as before") {
    Bench bench = after_death(MutexKind::Normal);
    bench.run(t0, lock);
    CHECK(bench.run(t0, consistent) == done);
    CHECK(bench.run(t0, unlock) == done_and_released);
    CHECK(bench.run(t2, lock) == done);
}

TEST_CASE("a robust mutex unlocked before it is made consistent can never be locked again") {
    for (const MutexKind kind : all_kinds) {
        Bench bench = after_death(kind);
        bench.run(t0, lock);
        CHECK(bench.run(t0, unlock) == done_and_released);
        for (const ThreadId thread : {t0, t2}) {
            CHECK(bench.run(thread, lock) == error(ENOTRECOVERABLE));
            CHECK(bench.run(thread, timed(lock)) == error(ENOTRECOVERABLE));
            CHECK(bench.run(thread, trylock) == error(ENOTRECOVERABLE));
            CHECK(bench.run(thread, unlock) == error(EPERM));
            CHECK(bench.model.held(thread).empty());
        }
        CHECK(bench.run(t0, on(OpKind::MutexDestroy, first)) == done);
    }
}

TEST_CASE("a second owner that dies before it made the mutex consistent leaves EOWNERDEAD to the third") {
    Bench bench = after_death(MutexKind::ErrorChecking);
    bench.run(t2, lock);
    CHECK(bench.run(t2, thread_exit) == done_and_released);
    CHECK(bench.run(t0, lock) == error(EOWNERDEAD));
    CHECK(bench.run(t0, consistent) == done);
}

TEST_CASE("a recursive robust mutex forgets the dead owner's count") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Recursive, true);
    bench.run(t1, lock);
    bench.run(t1, lock);
    bench.run(t1, thread_exit);
    CHECK(bench.run(t0, lock) == error(EOWNERDEAD));
    CHECK(bench.run(t0, consistent) == done);
    CHECK(bench.run(t0, unlock) == done_and_released);
}

TEST_CASE(
    "an inner unlock of an inconsistent recursive mutex returns ENOTRECOVERABLE and it can still be saved") {
    Bench bench = after_death(MutexKind::Recursive);
    CHECK(bench.run(t0, lock) == error(EOWNERDEAD));
    CHECK(bench.run(t0, lock) == done);
    CHECK(bench.run(t0, unlock) == error(ENOTRECOVERABLE));
    CHECK(bench.run(t0, consistent) == done);
    CHECK(bench.run(t0, unlock) == done_and_released);
    CHECK(bench.run(t2, lock) == done);
}

TEST_CASE("making a mutex consistent that is not inconsistent, or not one's own, is a misuse") {
    const Outcome expected = misused(Misuse::ConsistentWithoutDeath, EINVAL);
    SUBCASE("not robust") {
        Bench bench;
        bench.make_mutex(first, MutexKind::Normal);
        bench.run(t0, lock);
        CHECK(bench.run(t0, consistent) == expected);
    }
    SUBCASE("no owner has died") {
        Bench bench;
        bench.make_mutex(first, MutexKind::Normal, true);
        CHECK(bench.run(t0, consistent) == expected);
        bench.run(t0, lock);
        CHECK(bench.run(t0, consistent) == expected);
    }
    SUBCASE("not locked yet after the death") {
        CHECK(after_death(MutexKind::Normal).run(t0, consistent) == expected);
    }
    SUBCASE("another has it") {
        Bench bench = after_death(MutexKind::Normal);
        bench.run(t0, lock);
        CHECK(bench.run(t2, consistent) == expected);
    }
    SUBCASE("done twice") {
        Bench bench = after_death(MutexKind::Normal);
        bench.run(t0, lock);
        bench.run(t0, consistent);
        CHECK(bench.run(t0, consistent) == expected);
    }
}

TEST_CASE("a wait whose mutex's owner dies returns EOWNERDEAD and holds the mutex") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Normal, true);
    bench.make(second, ObjectClass::Condition);
    const Operation wait = wait_on(second, first);
    bench.run(t0, lock);
    bench.run(t0, wait);
    bench.run(t1, lock);
    bench.run(t1, on(OpKind::CondSignal, second), Variant::wake(t0));
    CHECK_FALSE(bench.enabled(t0, resumed(wait, OpKind::CondResume)));
    bench.run(t1, thread_exit);
    CHECK(bench.run(t0, resumed(wait, OpKind::CondResume)) == error(EOWNERDEAD));
    CHECK(bench.run(t0, consistent) == done);
}

TEST_CASE("a wait with an inconsistent mutex gives it up for good") {
    Bench bench = after_death(MutexKind::Normal);
    bench.make(second, ObjectClass::Condition);
    const Operation wait = timed(wait_on(second, first));
    bench.run(t0, lock);
    CHECK(bench.run(t0, wait).released);
    CHECK(bench.run(t2, lock) == error(ENOTRECOVERABLE));
    bench.run(t0, resumed(wait, OpKind::CondResume), Variant::timeout());
    CHECK(bench.run(t0, resumed(wait, OpKind::CondResume)) == error(ENOTRECOVERABLE));
    CHECK(bench.model.held(t0).empty());
}

TEST_CASE("a wait inside an inconsistent recursive mutex locked twice fails at once") {
    Bench bench = after_death(MutexKind::Recursive);
    bench.make(second, ObjectClass::Condition);
    bench.run(t0, lock);
    bench.run(t0, lock);
    CHECK(bench.run(t0, wait_on(second, first)) == error(ENOTRECOVERABLE));
    CHECK(bench.model.object(first).count == 1);
    CHECK(bench.model.object(second).waiters.empty());
}
