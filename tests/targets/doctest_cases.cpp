// A collection of tests: a good one, one whose assertion fails in some schedules, a deadlock.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <mutex>
#include <thread>

namespace {

std::mutex mutex;

int add_in_two_threads(bool at_once) {
    int sum = 0;
    const auto add = [&] {
        int seen = 0;
        {
            const std::lock_guard lock(mutex);
            seen = sum;
            if (at_once) sum += 1;
        }
        if (at_once) return;
        const std::lock_guard lock(mutex);
        sum = seen + 1;
    };
    std::thread first(add);
    std::thread second(add);
    first.join();
    second.join();
    return sum;
}

}  // namespace

TEST_CASE("additions under one lock") { CHECK(add_in_two_threads(true) == 2); }

TEST_CASE("additions under two locks, one lost") { CHECK(add_in_two_threads(false) == 2); }

TEST_CASE("locks in opposite orders") {
    std::mutex other;
    std::thread thread([&] {
        const std::lock_guard first(mutex);
        const std::lock_guard second(other);
    });
    {
        const std::lock_guard first(other);
        const std::lock_guard second(mutex);
    }
    thread.join();
}
