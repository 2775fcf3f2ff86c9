#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation cancel = on_thread(OpKind::ThreadCancel, t1);
const Operation sem_wait = on(OpKind::SemWait, first);
const Operation join = on_thread(OpKind::ThreadJoin, t2);
const std::vector<Variant> only_cancel{Variant::cancel()};
const Outcome unwinds{.result = 0, .cancelled = true};

}  // namespace

TEST_CASE("a request to cancel changes nothing before a cancellation point") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Normal);
    CHECK(bench.run(t0, cancel) == done);
    CHECK(bench.model.thread(t1).cancel_requested);
    CHECK(bench.options(t1, on(OpKind::MutexLock, first)) == only_normal);
    CHECK(bench.options(t1, plain(OpKind::Yield)) == only_normal);
    CHECK(bench.options(t1, plain(OpKind::Sleep)) == only_cancel);
    CHECK(bench.run(t1, plain(OpKind::Sleep), Variant::cancel()) == unwinds);
}

TEST_CASE("sem_wait acts on a request to cancel whether it would wait or not") {
    for (const std::int64_t value : {0, 1}) {
        Bench bench(ModelOptions{.explore_timeouts = true});
        bench.make(first, ObjectClass::Semaphore, value);
        bench.run(t0, cancel);
        CHECK(bench.options(t1, sem_wait) == only_cancel);
        CHECK(bench.options(t1, timed(sem_wait)) == only_cancel);
        CHECK_FALSE(bench.model.can_time_out(t1, timed(sem_wait)));
        CHECK(bench.run(t1, sem_wait, Variant::cancel()) == unwinds);
        CHECK(bench.model.object(first).count == static_cast<std::uint32_t>(value));
    }
}

TEST_CASE("a join acts on a request to cancel only while it has to wait") {
    Bench bench;
    bench.run(t0, cancel);
    CHECK(bench.options(t1, join) == only_cancel);
    CHECK(Bench(bench).run(t1, join, Variant::cancel()) == unwinds);
    CHECK(bench.model.live(t2));
    bench.run(t2, plain(OpKind::ThreadExit));
    CHECK(bench.options(t1, join) == only_normal);
    CHECK(bench.run(t1, join) == done);
}

TEST_CASE("a request to cancel waits as long as the thread has cancellation disabled") {
    Bench bench;
    bench.make(first, ObjectClass::Semaphore, 1);
    bench.model.set_cancel_enabled(t1, false);
    bench.run(t0, cancel);
    CHECK(bench.options(t1, sem_wait) == only_normal);
    bench.model.set_cancel_enabled(t1, true);
    CHECK(bench.options(t1, sem_wait) == only_cancel);
}

TEST_CASE("what a cancelled thread does while it unwinds is not cancelled again") {
    Bench bench;
    bench.make(first, ObjectClass::Semaphore, 1);
    bench.run(t0, cancel);
    bench.run(t1, plain(OpKind::Sleep), Variant::cancel());
    CHECK(bench.options(t1, sem_wait) == only_normal);
    CHECK(bench.run(t1, sem_wait) == done);
}

TEST_CASE("cancelling a thread that has ended does nothing") {
    Bench bench;
    bench.run(t1, plain(OpKind::ThreadExit));
    CHECK(bench.run(t0, cancel) == done);
    CHECK_FALSE(bench.model.thread(t1).cancel_requested);
}

TEST_CASE("a cancelled wait gives the mutex up first and takes it again before it unwinds") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Normal);
    bench.make(second, ObjectClass::Condition);
    const Operation wait = wait_on(second, first);
    const Operation resume = resumed(wait, OpKind::CondResume);
    bench.run(t1, OpKind::MutexLock, first);
    SUBCASE("requested before the wait") {
        bench.run(t0, cancel);
        CHECK(bench.options(t1, wait) == only_normal);
        CHECK(bench.run(t1, wait) == Outcome{.result = 0, .parked_at = resume, .released = true});
    }
    SUBCASE("requested during the wait") {
        bench.run(t1, wait);
        CHECK(bench.options(t1, resume) == no_variant);
        bench.run(t0, cancel);
    }
    CHECK(bench.options(t1, resume) == only_cancel);
    bench.run(t0, OpKind::MutexLock, first);
    CHECK(bench.run(t1, resume, Variant::cancel()) == Outcome{.result = 0, .parked_at = resume});
    CHECK(bench.model.object(second).waiters.empty());
    CHECK_FALSE(bench.enabled(t1, resume));
    bench.run(t0, OpKind::MutexUnlock, first);
    CHECK(bench.run(t1, resume) == unwinds);
    CHECK(bench.model.held(t1) == std::vector{first});
}

TEST_CASE("a wait that was signalled before it acted on the request returns as signalled") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Normal);
    bench.make(second, ObjectClass::Condition);
    const Operation wait = wait_on(second, first);
    const Operation resume = resumed(wait, OpKind::CondResume);
    bench.run(t1, OpKind::MutexLock, first);
    bench.run(t1, wait);
    bench.run(t0, on(OpKind::CondSignal, second), Variant::wake(t1));
    bench.run(t0, cancel);
    CHECK(bench.options(t1, resume) == only_normal);
    CHECK(bench.run(t1, resume) == done);
    CHECK(bench.options(t1, plain(OpKind::Sleep)) == only_cancel);
}
