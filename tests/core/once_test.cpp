#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

const Operation enter = on(OpKind::OnceEnter, first);
const Operation finish = on(OpKind::OnceDone, first);
const Operation abandon = on(OpKind::OnceAbort, first);
const Outcome runs_routine{.result = 0, .run_once_routine = true};

Bench with_once() {
    Bench bench;
    bench.make(first, ObjectClass::Once);
    return bench;
}

}  // namespace

TEST_CASE("the first thread runs the routine, the others wait until it is done and do not run it") {
    Bench bench = with_once();
    CHECK(bench.run(t1, enter) == runs_routine);
    CHECK_FALSE(bench.enabled(t0, enter));
    CHECK(bench.model.blockers(t0, enter) == std::vector{t1});
    CHECK(bench.run(t1, finish) == done_and_released);
    CHECK(bench.run(t0, enter) == done);
    CHECK(bench.run(t1, enter) == done);
}

TEST_CASE("a routine that is left by an exception or a cancellation is run by the next thread") {
    Bench bench = with_once();
    bench.run(t1, enter);
    CHECK(bench.run(t1, abandon) == done_and_released);
    CHECK(bench.run(t0, enter) == runs_routine);
    CHECK(bench.run(t0, finish) == done_and_released);
}

TEST_CASE("a once routine that enters its own once is a misuse") {
    Bench bench = with_once();
    bench.run(t0, enter);
    CHECK(bench.enabled(t0, enter));
    CHECK(bench.run(t0, enter) == misused(Misuse::OnceRecursion, EDEADLK));
}
