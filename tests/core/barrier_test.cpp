#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation wait = on(OpKind::BarrierWait, first);
const Operation resume = on(OpKind::BarrierResume, first);
const Operation destroy = on(OpKind::BarrierDestroy, first);
const Outcome parked{.result = 0, .parked_at = resume, .released = true};
const Outcome serial{.result = -1, .released = true};

Bench with_barrier(std::int64_t count) {
    Bench bench;
    bench.make(first, ObjectClass::Barrier, count);
    return bench;
}

}  // namespace

TEST_CASE("a barrier lets its threads go when the last has arrived, which is the serial one") {
    Bench bench = with_barrier(3);
    CHECK(bench.run(t2, wait) == parked);
    CHECK(bench.run(t0, wait) == parked);
    CHECK(bench.model.object(first).waiters == std::vector{t0, t2});
    CHECK_FALSE(bench.enabled(t0, resume));
    CHECK_FALSE(bench.enabled(t2, resume));
    CHECK(bench.model.blockers(t0, resume).empty());
    CHECK(bench.run(t1, wait) == serial);
    CHECK(bench.run(t0, resume) == done);
    CHECK(bench.run(t2, resume) == done);
}

TEST_CASE("a barrier for one thread never waits") {
    Bench bench = with_barrier(1);
    CHECK(bench.run(t0, wait) == serial);
    CHECK(bench.run(t0, wait) == serial);
}

TEST_CASE("the next round of a barrier can begin before all have left the last") {
    Bench bench = with_barrier(2);
    bench.run(t0, wait);
    bench.run(t1, wait);
    CHECK(bench.run(t1, wait) == parked);
    CHECK(bench.run(t0, resume) == done);
    CHECK_FALSE(bench.enabled(t1, resume));
    CHECK(bench.run(t0, wait) == serial);
    CHECK(bench.run(t1, resume) == done);
}

TEST_CASE("a barrier for no thread is a misuse") {
    Bench bench;
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{-1}}) {
        CHECK(bench.model.init(first, {.object_class = ObjectClass::Barrier, .value = count}) ==
              Misuse::BadBarrierCount);
    }
}

TEST_CASE("destroying a barrier somebody waits at is a misuse") {
    Bench bench = with_barrier(2);
    bench.run(t0, wait);
    CHECK(bench.run(t1, destroy) == misused(Misuse::DestroyWhileInUse, EBUSY));
}

TEST_CASE("the serial thread may destroy the barrier before the others have returned") {
    Bench bench = with_barrier(2);
    bench.run(t0, wait);
    bench.run(t1, wait);
    CHECK(bench.run(t1, destroy) == done);
    CHECK(bench.run(t0, resume) == done);
    CHECK(bench.run(t0, wait) == misused(Misuse::UseAfterDestroy, EINVAL));
}
