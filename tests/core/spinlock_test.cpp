#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation lock = on(OpKind::SpinLock, first);
const Operation trylock = on(OpKind::SpinTryLock, first);
const Operation unlock = on(OpKind::SpinUnlock, first);
const Operation destroy = on(OpKind::SpinDestroy, first);

Bench with_spinlock() {
    Bench bench;
    bench.make(first, ObjectClass::SpinLock);
    return bench;
}

}  // namespace

TEST_CASE("a spin lock is held until its owner unlocks it") {
    Bench bench = with_spinlock();
    CHECK(bench.run(t0, lock) == done);
    CHECK(bench.model.held(t0) == std::vector{first});
    CHECK_FALSE(bench.enabled(t1, lock));
    CHECK(bench.model.blockers(t1, lock) == std::vector{t0});
    CHECK(bench.run(t1, trylock) == error(EBUSY));
    CHECK(bench.run(t0, trylock) == error(EBUSY));
    CHECK(bench.run(t0, unlock) == done_and_released);
    CHECK(bench.model.held(t0).empty());
    CHECK(bench.run(t1, trylock) == done);
}

TEST_CASE("misuses of a spin lock: own lock, foreign unlock, destroy while held") {
    Bench bench = with_spinlock();
    CHECK(bench.run(t0, unlock) == misused(Misuse::UnlockByStranger, 0));
    bench.run(t0, lock);
    CHECK(Bench(bench).run(t0, lock) == misused(Misuse::SelfDeadlock, EDEADLK));
    CHECK(Bench(bench).run(t1, unlock) == misused(Misuse::UnlockByStranger, 0));
    CHECK(Bench(bench).run(t1, destroy) == misused(Misuse::DestroyWhileInUse, 0));
    bench.run(t0, unlock);
    CHECK(bench.run(t0, destroy) == done);
    CHECK(bench.run(t0, lock) == misused(Misuse::UseAfterDestroy, EINVAL));
}
