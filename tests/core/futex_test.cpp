#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

constexpr ThreadId t3{3};
const Operation wait = with_value(on(OpKind::FutexWait, first), 1);
const Operation wait_too_late = with_value(wait, 0);
const Operation resume = resumed(wait, OpKind::FutexResume);

Operation wake(std::int64_t how_many) { return with_value(on(OpKind::FutexWake, first), how_many); }

/// T1, T2 and T3 wait.
Bench with_waiters() {
    Bench bench;
    bench.model.add_thread(t3);
    bench.make(first, ObjectClass::Futex);
    for (const ThreadId thread : {t3, t1, t2}) {
        REQUIRE(bench.run(thread, wait) == Outcome{.result = 0, .parked_at = resume});
    }
    return bench;
}

std::vector<ThreadId> woken(const Bench& bench) {
    std::vector<ThreadId> all;
    for (const ThreadId thread : {t1, t2, t3}) {
        if (bench.enabled(thread, resume)) {
            all.push_back(thread);
        }
    }
    return all;
}

}  // namespace

TEST_CASE("a futex wait whose word has changed returns EAGAIN") {
    Bench bench;
    bench.make(first, ObjectClass::Futex);
    CHECK(bench.run(t0, wait_too_late) == error(EAGAIN));
    CHECK(bench.model.object(first).waiters.empty());
}

TEST_CASE("a futex wake-up of one can wake any waiter") {
    Bench bench = with_waiters();
    CHECK(bench.options(t0, wake(1)) == std::vector{Variant::wake(t1), Variant::wake(t2), Variant::wake(t3)});
    CHECK(bench.run(t0, wake(1), Variant::wake(t2)) == Outcome{.result = 1, .released = true});
    CHECK(woken(bench) == std::vector{t2});
    CHECK(bench.run(t2, resume) == done);
}

TEST_CASE("a futex wake-up of two of three can wake any pair, in lexicographic order") {
    const Bench start = with_waiters();
    CHECK(start.options(t0, wake(2)) ==
          std::vector{Variant::subset(0), Variant::subset(1), Variant::subset(2)});
    const std::vector<std::vector<ThreadId>> pairs{{t1, t2}, {t1, t3}, {t2, t3}};
    for (std::uint32_t nth = 0; nth < pairs.size(); ++nth) {
        Bench bench = start;
        CHECK(bench.run(t0, wake(2), Variant::subset(nth)) == Outcome{.result = 2, .released = true});
        CHECK(woken(bench) == pairs[nth]);
    }
}

TEST_CASE("a futex wake-up of all, or more, has one outcome") {
    for (const std::int64_t how_many : {3, 4, 2147483647}) {
        Bench bench = with_waiters();
        CHECK(bench.options(t0, wake(how_many)) == only_normal);
        CHECK(bench.run(t0, wake(how_many)) == Outcome{.result = 3, .released = true});
        CHECK(woken(bench) == std::vector{t1, t2, t3});
    }
}

TEST_CASE("a futex wake-up of none, or with nobody waiting, wakes nobody") {
    Bench bench = with_waiters();
    CHECK(bench.run(t0, wake(0)) == done);
    CHECK(bench.run(t0, wake(-1)) == done);
    CHECK(woken(bench).empty());
    bench.run(t0, wake(3));
    CHECK(bench.run(t0, wake(1)) == done);
}

TEST_CASE("a timed futex wait can time out until it is woken") {
    Bench bench(ModelOptions{.explore_timeouts = true});
    bench.make(first, ObjectClass::Futex);
    bench.run(t1, timed(wait));
    bench.run(t2, timed(wait));
    CHECK(bench.options(t1, timed(resume)) == std::vector{Variant::timeout()});
    CHECK(bench.options(t1, resume) == no_variant);
    CHECK(bench.run(t1, timed(resume), Variant::timeout()) == error(ETIMEDOUT));
    CHECK(bench.model.object(first).waiters == std::vector{t2});
    bench.run(t0, wake(1));
    CHECK(bench.options(t2, timed(resume)) == only_normal);
    CHECK(bench.run(t2, timed(resume)) == done);
}
