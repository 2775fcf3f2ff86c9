#include "tracer/virtual_clock.hpp"

#include <doctest/doctest.h>

using coopcheck::tracer::VirtualClock;

TEST_CASE("a look at the clock moves it, a deadline moves it forward only") {
    VirtualClock clock;
    const timespec first = clock.look(CLOCK_MONOTONIC);
    const timespec second = clock.look(CLOCK_MONOTONIC);
    CHECK(second.tv_nsec > first.tv_nsec);
    clock.advance_to(5'000'000'000);
    CHECK(clock.now() == 5'000'000'000);
    clock.advance_to(1);
    CHECK(clock.now() == 5'000'000'000);
}

TEST_CASE("an absolute time is understood by either clock that it came from") {
    VirtualClock clock;
    for (const clockid_t which : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
        timespec later = clock.look(which);
        later.tv_sec += 3;
        CHECK(VirtualClock::from_absolute(later) == clock.now() + 3'000'000'000);
    }
}

TEST_CASE("waiting until the end of time does not overflow") {
    const VirtualClock clock;
    const timespec forever{.tv_sec = 0x7fffffffffffffff, .tv_nsec = 999'999'999};
    CHECK(VirtualClock::from_absolute(forever) > 0);
    CHECK(clock.from_relative(forever) > 0);
}
