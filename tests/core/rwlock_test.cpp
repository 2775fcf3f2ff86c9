#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation rdlock = on(OpKind::RwReadLock, first);
const Operation wrlock = on(OpKind::RwWriteLock, first);
const Operation tryrdlock = on(OpKind::RwTryReadLock, first);
const Operation trywrlock = on(OpKind::RwTryWriteLock, first);
const Operation wrlock_resume = on(OpKind::RwWriteResume, first);
const Operation unlock = on(OpKind::RwUnlock, first);
const Operation destroy = on(OpKind::RwDestroy, first);
const Outcome parked{.result = 0, .parked_at = wrlock_resume};

constexpr RwPolicy both_policies[] = {RwPolicy::PreferReader, RwPolicy::PreferWriter};

Bench with_rwlock(RwPolicy policy, ModelOptions options = {}) {
    Bench bench(options);
    bench.make_rwlock(first, policy);
    return bench;
}

}  // namespace

TEST_CASE("several readers share a rwlock and keep writers out") {
    for (const RwPolicy policy : both_policies) {
        Bench bench = with_rwlock(policy);
        CHECK(bench.run(t0, rdlock) == done);
        CHECK(bench.run(t1, tryrdlock) == done);
        CHECK(bench.model.held(t0) == std::vector{first});
        CHECK(bench.run(t2, trywrlock) == error(EBUSY));
        CHECK(bench.run(t0, unlock) == done_and_released);
        CHECK(bench.run(t2, trywrlock) == error(EBUSY));
        CHECK(bench.run(t1, unlock) == done_and_released);
        CHECK(bench.run(t2, trywrlock) == done);
        CHECK(bench.model.object(first).owner == t2);
    }
}

TEST_CASE("a writer keeps everybody else out") {
    for (const RwPolicy policy : both_policies) {
        Bench bench = with_rwlock(policy);
        CHECK(bench.run(t0, wrlock) == done);
        CHECK(bench.model.held(t0) == std::vector{first});
        CHECK_FALSE(bench.enabled(t1, rdlock));
        CHECK(bench.model.blockers(t1, rdlock) == std::vector{t0});
        CHECK(bench.run(t1, tryrdlock) == error(EBUSY));
        CHECK(bench.run(t1, trywrlock) == error(EBUSY));
        CHECK(bench.run(t0, unlock) == done_and_released);
        CHECK(bench.enabled(t1, rdlock));
        CHECK(bench.model.held(t0).empty());
    }
}

TEST_CASE("a reader may read again and only its last unlock releases") {
    Bench bench = with_rwlock(RwPolicy::PreferReader);
    bench.run(t0, rdlock);
    bench.run(t0, rdlock);
    bench.run(t0, tryrdlock);
    CHECK(bench.model.held(t0) == std::vector{first});
    CHECK(bench.run(t0, unlock) == done);
    CHECK(bench.run(t0, unlock) == done);
    CHECK(bench.model.held(t0) == std::vector{first});
    CHECK(bench.run(t0, unlock) == done_and_released);
    CHECK(bench.model.held(t0).empty());
}

TEST_CASE("a writer that locks again gets EDEADLK, and EBUSY if it tries") {
    for (const RwPolicy policy : both_policies) {
        Bench bench = with_rwlock(policy);
        bench.run(t0, wrlock);
        for (const Operation& again : {rdlock, wrlock, timed(rdlock), timed(wrlock)}) {
            CHECK(bench.run(t0, again) == error(EDEADLK));
        }
        CHECK(bench.run(t0, tryrdlock) == error(EBUSY));
        CHECK(bench.run(t0, trywrlock) == error(EBUSY));
    }
}

TEST_CASE("a reader that wants to write is a misuse, with a time limit it times out") {
    for (const RwPolicy policy : both_policies) {
        Bench bench = with_rwlock(policy);
        bench.run(t0, rdlock);
        CHECK_FALSE(bench.enabled(t0, timed(wrlock)));
        CHECK(bench.run(t0, timed(wrlock), Variant::timeout()) == error(ETIMEDOUT));
        CHECK(bench.run(t0, trywrlock) == error(EBUSY));
        CHECK(bench.run(t0, wrlock) == misused(Misuse::SelfDeadlock, EDEADLK));
    }
}

TEST_CASE("where readers are preferred a writer waits unseen") {
    Bench bench = with_rwlock(RwPolicy::PreferReader);
    bench.run(t0, rdlock);
    CHECK_FALSE(bench.enabled(t1, wrlock));
    CHECK(bench.model.blockers(t1, wrlock) == std::vector{t0});
    CHECK(bench.run(t2, rdlock) == done);
    CHECK(bench.run(t0, rdlock) == done);
    CHECK(bench.model.blockers(t1, wrlock) == std::vector{t0, t2});
}

TEST_CASE("where writers are preferred a writer that has arrived keeps new readers out, old ones too") {
    Bench bench = with_rwlock(RwPolicy::PreferWriter);
    bench.run(t0, rdlock);
    CHECK(bench.run(t1, wrlock) == parked);
    CHECK_FALSE(bench.enabled(t1, wrlock_resume));
    CHECK(bench.model.blockers(t1, wrlock_resume) == std::vector{t0});
    CHECK(bench.model.held(t1).empty());
    CHECK_FALSE(bench.enabled(t2, rdlock));
    CHECK(bench.model.blockers(t2, rdlock) == std::vector{t1});
    CHECK_FALSE(bench.enabled(t0, rdlock));
    CHECK(bench.run(t2, tryrdlock) == error(EBUSY));
    bench.run(t0, unlock);
    CHECK(bench.run(t1, wrlock_resume) == done);
    CHECK(bench.model.object(first).waiters.empty());
    CHECK(bench.model.held(t1) == std::vector{first});
    bench.run(t1, unlock);
    CHECK(bench.enabled(t2, rdlock));
}

TEST_CASE("nobody overtakes a writer that has arrived and was handed the lock") {
    Bench bench = with_rwlock(RwPolicy::PreferWriter);
    bench.run(t0, rdlock);
    bench.run(t1, wrlock);
    bench.run(t0, unlock);
    CHECK(bench.run(t2, trywrlock) == error(EBUSY));
    CHECK(bench.run(t2, tryrdlock) == error(EBUSY));
    CHECK(bench.run(t2, wrlock) == parked);
    CHECK(bench.model.object(first).waiters == std::vector{t1, t2});
    CHECK(bench.run(t1, wrlock_resume) == done);
    CHECK_FALSE(bench.enabled(t2, wrlock_resume));
}

TEST_CASE("a writer that times out lets the readers in again") {
    Bench bench = with_rwlock(RwPolicy::PreferWriter);
    bench.run(t0, rdlock);
    CHECK(bench.run(t1, timed(wrlock)).parked_at == timed(wrlock_resume));
    CHECK_FALSE(bench.enabled(t2, rdlock));
    CHECK(bench.run(t1, timed(wrlock_resume), Variant::timeout()) ==
          Outcome{.result = ETIMEDOUT, .released = true});
    CHECK(bench.run(t2, rdlock) == done);
}

TEST_CASE("timed locks of a rwlock can time out only while they have to wait") {
    Bench bench = with_rwlock(RwPolicy::PreferReader, {.explore_timeouts = true});
    CHECK(bench.options(t1, timed(rdlock)) == only_normal);
    CHECK(bench.options(t1, timed(wrlock)) == only_normal);
    bench.run(t0, wrlock);
    CHECK(bench.options(t1, timed(rdlock)) == std::vector{Variant::timeout()});
    CHECK(bench.options(t1, timed(wrlock)) == std::vector{Variant::timeout()});
    CHECK(bench.run(t1, timed(rdlock), Variant::timeout()) == error(ETIMEDOUT));
}

TEST_CASE("unlock of a rwlock by a stranger is a misuse") {
    Bench bench = with_rwlock(RwPolicy::PreferReader);
    const Outcome expected = misused(Misuse::UnlockByStranger, 0);
    CHECK(Bench(bench).run(t0, unlock) == expected);
    bench.run(t1, rdlock);
    CHECK(Bench(bench).run(t0, unlock) == expected);
    bench.run(t1, unlock);
    bench.run(t1, wrlock);
    CHECK(bench.run(t0, unlock) == expected);
}

TEST_CASE("destroying a rwlock that is held or waited for is a misuse") {
    const Outcome expected = misused(Misuse::DestroyWhileInUse, 0);
    SUBCASE("read") {
        Bench bench = with_rwlock(RwPolicy::PreferReader);
        bench.run(t0, rdlock);
        CHECK(bench.run(t1, destroy) == expected);
    }
    SUBCASE("written") {
        Bench bench = with_rwlock(RwPolicy::PreferReader);
        bench.run(t0, wrlock);
        CHECK(bench.run(t0, destroy) == expected);
    }
    SUBCASE("a writer has arrived") {
        Bench bench = with_rwlock(RwPolicy::PreferWriter);
        bench.run(t0, rdlock);
        bench.run(t1, wrlock);
        bench.run(t0, unlock);
        CHECK(bench.run(t0, destroy) == expected);
    }
    SUBCASE("free") {
        Bench bench = with_rwlock(RwPolicy::PreferReader);
        CHECK(bench.run(t0, destroy) == done);
        CHECK(bench.run(t0, rdlock) == misused(Misuse::UseAfterDestroy, EINVAL));
    }
}

TEST_CASE("readers in any order of arrival make equal states") {
    Bench one = with_rwlock(RwPolicy::PreferReader);
    Bench other = one;
    one.run(t2, rdlock);
    one.run(t0, rdlock);
    other.run(t0, rdlock);
    other.run(t2, rdlock);
    CHECK(one.model == other.model);
    CHECK(one.model.hash() == other.model.hash());
}
