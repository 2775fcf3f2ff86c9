#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

using Life = ThreadState::Life;

constexpr ThreadId t3{3};
const Operation thread_exit = plain(OpKind::ThreadExit);
const Operation join = on_thread(OpKind::ThreadJoin, t1);
const Operation tryjoin = on_thread(OpKind::ThreadTryJoin, t1);
const Operation detach = on_thread(OpKind::ThreadDetach, t1);

}  // namespace

TEST_CASE("a thread lives from its creation to its exit and can then be joined") {
    Bench bench;
    CHECK_FALSE(bench.model.live(t3));
    CHECK(bench.run(t0, on_thread(OpKind::ThreadCreate, t3)) == done_and_released);
    CHECK(bench.model.live(t3));
    CHECK_FALSE(bench.model.thread(t3).detached);
    CHECK(bench.run(t3, plain(OpKind::ThreadStart)) == done);
    const Operation join_new = on_thread(OpKind::ThreadJoin, t3);
    CHECK_FALSE(bench.enabled(t0, join_new));
    CHECK(bench.model.blockers(t0, join_new) == std::vector{t3});
    CHECK(bench.run(t3, thread_exit) == done_and_released);
    CHECK_FALSE(bench.model.live(t3));
    CHECK(bench.run(t0, join_new) == done);
    CHECK(bench.model.thread(t3).life == Life::Joined);
}

TEST_CASE("tryjoin returns EBUSY as long as the thread lives") {
    Bench bench;
    CHECK(bench.run(t0, tryjoin) == error(EBUSY));
    CHECK(bench.run(t1, tryjoin) == error(EBUSY));
    bench.run(t1, thread_exit);
    CHECK(bench.run(t0, tryjoin) == done);
    CHECK(bench.model.thread(t1).life == Life::Joined);
}

TEST_CASE("a timed join can time out as long as the thread lives") {
    Bench bench(ModelOptions{.explore_timeouts = true});
    CHECK(bench.options(t0, timed(join)) == std::vector{Variant::timeout()});
    CHECK(bench.options(t0, join) == no_variant);
    CHECK(bench.run(t0, timed(join), Variant::timeout()) == error(ETIMEDOUT));
    bench.run(t1, thread_exit);
    CHECK(bench.options(t0, timed(join)) == only_normal);
    CHECK(bench.run(t0, timed(join)) == done);
}

TEST_CASE("joining oneself returns EDEADLK") {
    Bench bench;
    CHECK(bench.run(t1, join) == error(EDEADLK));
    CHECK(bench.run(t1, timed(join)) == error(EDEADLK));
    CHECK(bench.model.live(t1));
}

TEST_CASE("joining a detached thread is a misuse, whether it was created so or detached later") {
    Bench bench;
    bench.run(t0, with_value(on_thread(OpKind::ThreadCreate, t3), 1));
    CHECK(bench.model.thread(t3).detached);
    CHECK(bench.run(t0, on_thread(OpKind::ThreadJoin, t3)) == misused(Misuse::JoinDetached, EINVAL));
    CHECK(bench.run(t0, detach) == done);
    for (const ThreadId thread : {t0, t1}) {
        CHECK(bench.enabled(thread, join));
        CHECK(bench.run(thread, join) == misused(Misuse::JoinDetached, EINVAL));
        CHECK(bench.run(thread, detach) == misused(Misuse::JoinDetached, EINVAL));
        CHECK(bench.run(thread, tryjoin) == misused(Misuse::JoinDetached, EBUSY));
    }
    bench.run(t1, thread_exit);
    CHECK(bench.run(t0, tryjoin) == misused(Misuse::JoinDetached, EINVAL));
}

TEST_CASE("joining or detaching a joined thread is a misuse") {
    Bench bench;
    bench.run(t1, thread_exit);
    bench.run(t0, join);
    for (const Operation& again : {join, tryjoin, detach}) {
        CHECK(bench.run(t2, again) == misused(Misuse::JoinTwice, EINVAL));
    }
}

TEST_CASE("a thread that has ended can still be detached") {
    Bench bench;
    bench.run(t1, thread_exit);
    CHECK(bench.run(t0, detach) == done);
}

TEST_CASE("ending a thread that holds a lock nobody can unlock is a misuse") {
    const Outcome expected = misused(Misuse::ExitHoldingLock, 0);
    SUBCASE("mutex") {
        Bench bench;
        bench.make_mutex(first, MutexKind::ErrorChecking);
        bench.run(t1, OpKind::MutexLock, first);
        CHECK(bench.run(t1, thread_exit) == expected);
    }
    SUBCASE("spin lock") {
        Bench bench;
        bench.make(first, ObjectClass::SpinLock);
        bench.run(t1, OpKind::SpinLock, first);
        CHECK(bench.run(t1, thread_exit) == expected);
    }
    SUBCASE("rwlock, read") {
        Bench bench;
        bench.make_rwlock(first, RwPolicy::PreferReader);
        bench.run(t1, OpKind::RwReadLock, first);
        CHECK(bench.run(t1, thread_exit) == expected);
    }
    SUBCASE("one robust mutex and one that is not") {
        Bench bench;
        bench.make_mutex(first, MutexKind::Normal, true);
        bench.make_mutex(second, MutexKind::Normal);
        bench.run(t1, OpKind::MutexLock, first);
        bench.run(t1, OpKind::MutexLock, second);
        CHECK(bench.run(t1, thread_exit) == expected);
    }
}

TEST_CASE("a thread that is born twice is a bug of coopcheck") {
    Bench bench;
    CHECK_THROWS(bench.model.add_thread(t1));
}
