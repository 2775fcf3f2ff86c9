#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

constexpr std::int64_t value_max = 2147483647;
const Operation wait = on(OpKind::SemWait, first);
const Operation trywait = on(OpKind::SemTryWait, first);
const Operation post = on(OpKind::SemPost, first);
const Operation getvalue = on(OpKind::SemGetValue, first);
const Operation destroy = on(OpKind::SemDestroy, first);

Bench with_semaphore(std::int64_t value, ModelOptions options = {}) {
    Bench bench(options);
    bench.make(first, ObjectClass::Semaphore, value);
    return bench;
}

}  // namespace

TEST_CASE("a semaphore is waited for until it was posted, by whomever") {
    Bench bench = with_semaphore(1);
    CHECK(bench.run(t0, wait) == done);
    CHECK_FALSE(bench.enabled(t0, wait));
    CHECK_FALSE(bench.enabled(t1, wait));
    CHECK(bench.model.blockers(t1, wait).empty());
    CHECK(bench.run(t1, trywait) == error(EAGAIN));
    CHECK(bench.run(t1, post) == done_and_released);
    CHECK(bench.enabled(t0, wait));
    CHECK(bench.run(t0, trywait) == done);
    CHECK(bench.model.held(t0).empty());
}

TEST_CASE("sem_getvalue returns the value") {
    Bench bench = with_semaphore(3);
    CHECK(bench.run(t0, getvalue) == error(3));
    bench.run(t0, wait);
    bench.run(t0, wait);
    CHECK(bench.run(t1, getvalue) == error(1));
    bench.run(t0, wait);
    CHECK(bench.run(t1, getvalue) == error(0));
}

TEST_CASE("a timed wait for a semaphore can time out only at zero") {
    Bench bench = with_semaphore(1, {.explore_timeouts = true});
    CHECK(bench.options(t0, timed(wait)) == only_normal);
    CHECK(bench.run(t0, timed(wait)) == done);
    CHECK(bench.options(t0, timed(wait)) == std::vector{Variant::timeout()});
    CHECK(bench.options(t0, wait) == no_variant);
    CHECK(bench.run(t0, timed(wait), Variant::timeout()) == error(ETIMEDOUT));
    CHECK(bench.model.object(first).count == 0);
}

TEST_CASE("a post beyond the greatest value returns EOVERFLOW") {
    Bench bench = with_semaphore(value_max - 1);
    CHECK(bench.run(t0, post) == done_and_released);
    CHECK(bench.run(t0, post) == error(EOVERFLOW));
    CHECK(bench.run(t0, getvalue) == error(static_cast<int>(value_max)));
}

TEST_CASE("a semaphore that starts negative or too great is a misuse") {
    Bench bench;
    for (const std::int64_t value : {std::int64_t{-1}, value_max + 1}) {
        CHECK(bench.model.init(first, {.object_class = ObjectClass::Semaphore, .value = value}) ==
              Misuse::BadSemaphoreValue);
        CHECK_FALSE(bench.model.known(first));
    }
}

TEST_CASE("a destroyed semaphore is not to be used") {
    Bench bench = with_semaphore(0);
    CHECK(bench.run(t0, destroy) == done);
    for (const Operation& use : {wait, trywait, post, getvalue, destroy}) {
        CHECK(bench.enabled(t1, use));
        CHECK(bench.run(t1, use) == misused(Misuse::UseAfterDestroy, EINVAL));
    }
}
TEST_CASE("a named semaphore is not to be used after the last of those who opened it has closed it") {
    Bench bench = with_semaphore(0);
    Operation close = on(OpKind::SemClose, first);
    CHECK(bench.run(t0, close) == done);
    CHECK(bench.run(t1, post).misuse == std::nullopt);
    close.value = 1;
    CHECK(bench.run(t0, close) == done);
    CHECK(bench.run(t1, post) == misused(Misuse::UseAfterDestroy, EINVAL));
}
