#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation lock = on(OpKind::MutexLock, first);
const Operation trylock = on(OpKind::MutexTryLock, first);
const Operation unlock = on(OpKind::MutexUnlock, first);
const Operation destroy = on(OpKind::MutexDestroy, first);

constexpr MutexKind all_kinds[] = {MutexKind::Normal, MutexKind::Recursive, MutexKind::ErrorChecking};

Bench with_mutex(MutexKind kind, bool robust = false) {
    Bench bench;
    bench.make_mutex(first, kind, robust);
    return bench;
}

}  // namespace

TEST_CASE("a mutex of any kind is held by the thread that locked it until that thread unlocks it") {
    for (const MutexKind kind : all_kinds) {
        for (const bool robust : {false, true}) {
            Bench bench = with_mutex(kind, robust);
            CHECK(bench.run(t0, lock) == done);
            CHECK(bench.model.object(first).owner == t0);
            CHECK(bench.model.held(t0) == std::vector{first});
            CHECK_FALSE(bench.enabled(t1, lock));
            CHECK(bench.model.blockers(t1, lock) == std::vector{t0});
            CHECK(bench.run(t1, trylock) == error(EBUSY));
            CHECK(bench.run(t0, unlock) == done_and_released);
            CHECK(bench.model.held(t0).empty());
            CHECK(bench.enabled(t1, lock));
            CHECK(bench.model.blockers(t1, lock).empty());
            CHECK(bench.run(t1, trylock) == done);
            CHECK(bench.model.object(first).owner == t1);
        }
    }
}

TEST_CASE("locking one's own normal mutex is a misuse, robust or not") {
    for (const bool robust : {false, true}) {
        Bench bench = with_mutex(MutexKind::Normal, robust);
        bench.run(t0, lock);
        CHECK(bench.enabled(t0, lock));
        CHECK(bench.run(t0, lock) == misused(Misuse::SelfDeadlock, EDEADLK));
    }
}

TEST_CASE("a timed lock of one's own normal mutex waits and times out") {
    Bench bench = with_mutex(MutexKind::Normal);
    bench.run(t0, lock);
    CHECK_FALSE(bench.enabled(t0, timed(lock)));
    CHECK(bench.model.can_time_out(t0, timed(lock)));
    CHECK(bench.run(t0, timed(lock), Variant::timeout()) == error(ETIMEDOUT));
    CHECK(bench.model.object(first).owner == t0);
}

TEST_CASE("locking one's own error-checking mutex returns EDEADLK, timed or not") {
    Bench bench = with_mutex(MutexKind::ErrorChecking);
    bench.run(t0, lock);
    CHECK(bench.run(t0, lock) == error(EDEADLK));
    CHECK(bench.run(t0, timed(lock)) == error(EDEADLK));
    CHECK(bench.model.object(first).count == 1);
}

TEST_CASE("trying one's own mutex returns EBUSY, but EDEADLK if it is robust and error-checking") {
    for (const auto& [kind, robust, result] :
         {std::tuple{MutexKind::Normal, false, EBUSY}, std::tuple{MutexKind::Normal, true, EBUSY},
          std::tuple{MutexKind::ErrorChecking, false, EBUSY},
          std::tuple{MutexKind::ErrorChecking, true, EDEADLK}}) {
        Bench bench = with_mutex(kind, robust);
        bench.run(t0, lock);
        CHECK(bench.run(t0, trylock) == error(result));
    }
}

TEST_CASE("a recursive mutex is free again after as many unlocks as locks, and only the last releases") {
    Bench bench = with_mutex(MutexKind::Recursive);
    CHECK(bench.run(t0, lock) == done);
    CHECK(bench.run(t0, trylock) == done);
    CHECK(bench.run(t0, timed(lock)) == done);
    CHECK(bench.model.object(first).count == 3);
    CHECK(bench.model.held(t0) == std::vector{first});
    CHECK(bench.run(t0, unlock) == done);
    CHECK(bench.run(t0, unlock) == done);
    CHECK_FALSE(bench.enabled(t1, lock));
    CHECK(bench.run(t0, unlock) == done_and_released);
    CHECK(bench.enabled(t1, lock));
}

TEST_CASE("unlock by a stranger is a misuse of a normal mutex and EPERM for the others") {
    for (const bool held_by_other : {false, true}) {
        for (const MutexKind kind : all_kinds) {
            for (const bool robust : {false, true}) {
                Bench bench = with_mutex(kind, robust);
                if (held_by_other) {
                    bench.run(t1, lock);
                }
                const bool undefined = kind == MutexKind::Normal && !robust;
                CHECK(bench.run(t0, unlock) ==
                      (undefined ? misused(Misuse::UnlockByStranger, 0) : error(EPERM)));
            }
        }
    }
}

TEST_CASE("a timed lock can time out while another holds the mutex and not when it is free") {
    Bench bench = with_mutex(MutexKind::Normal);
    CHECK_FALSE(bench.model.can_time_out(t1, timed(lock)));
    bench.run(t0, lock);
    CHECK_FALSE(bench.model.can_time_out(t1, lock));
    CHECK(bench.model.can_time_out(t1, timed(lock)));
    const SyncModel before = bench.model;
    CHECK(bench.run(t1, timed(lock), Variant::timeout()) == error(ETIMEDOUT));
    CHECK(bench.model == before);
}

TEST_CASE("a timeout is offered only where timeouts are explored") {
    for (const bool explore : {false, true}) {
        Bench bench(ModelOptions{.explore_timeouts = explore});
        bench.make_mutex(first, MutexKind::Normal);
        CHECK(bench.options(t1, timed(lock)) == only_normal);
        bench.run(t0, lock);
        CHECK(bench.options(t1, timed(lock)) == (explore ? std::vector{Variant::timeout()} : no_variant));
        CHECK(bench.options(t1, lock) == no_variant);
    }
}

TEST_CASE("destroying a mutex that is held is a misuse: EBUSY, and 0 for a robust one") {
    for (const MutexKind kind : all_kinds) {
        Bench bench = with_mutex(kind);
        bench.run(t0, lock);
        CHECK(bench.run(t0, destroy) == misused(Misuse::DestroyWhileInUse, EBUSY));
        Bench robust = with_mutex(kind, true);
        robust.run(t0, lock);
        CHECK(robust.run(t1, destroy) == misused(Misuse::DestroyWhileInUse, 0));
    }
}

TEST_CASE("a destroyed mutex can be initialized again and not be used before") {
    Bench bench = with_mutex(MutexKind::Normal);
    CHECK(bench.run(t0, destroy) == done);
    CHECK(bench.enabled(t0, lock));
    for (const Operation& use :
         {lock, trylock, unlock, destroy, timed(lock), on(OpKind::MutexConsistent, first)}) {
        CHECK(bench.run(t0, use) == misused(Misuse::UseAfterDestroy, EINVAL));
    }
    bench.make_mutex(first, MutexKind::Recursive);
    CHECK(bench.run(t0, lock) == done);
    CHECK(bench.run(t0, lock) == done);
}

TEST_CASE("destroying a mutex while a wait on a condition will take it again is a misuse") {
    Bench bench = with_mutex(MutexKind::Normal);
    bench.make(second, ObjectClass::Condition);
    bench.run(t1, lock);
    const Operation wait = wait_on(second, first);
    bench.run(t1, wait);
    CHECK(Bench(bench).run(t0, destroy) == misused(Misuse::DestroyWhileInUse, EBUSY));
    bench.run(t0, on(OpKind::CondSignal, second), Variant::wake(t1));
    CHECK(Bench(bench).run(t0, destroy) == misused(Misuse::DestroyWhileInUse, EBUSY));
    bench.run(t1, resumed(wait, OpKind::CondResume));
    bench.run(t1, unlock);
    CHECK(bench.run(t0, destroy) == done);
}

TEST_CASE("locks held are listed in the order of acquisition") {
    Bench bench = with_mutex(MutexKind::Recursive);
    bench.make_mutex(second, MutexKind::Normal);
    bench.make_mutex(third, MutexKind::Normal);
    bench.run(t0, OpKind::MutexLock, third);
    bench.run(t0, OpKind::MutexLock, first);
    bench.run(t0, OpKind::MutexLock, first);
    bench.run(t0, OpKind::MutexLock, second);
    CHECK(bench.model.held(t0) == std::vector{third, first, second});
    bench.run(t0, OpKind::MutexUnlock, third);
    bench.run(t0, OpKind::MutexUnlock, first);
    CHECK(bench.model.held(t0) == std::vector{first, second});
    CHECK(bench.model.held(t1).empty());
}
