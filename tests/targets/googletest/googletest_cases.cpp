// A collection of tests made with GoogleTest itself: good ones, one whose expectation fails in some
// schedules, a deadlock, one with a parameter, one that is not to be run.
#include <gtest/gtest.h>

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

class Threads : public testing::TestWithParam<int> {};

}  // namespace

TEST(Sum, UnderOneLock) { EXPECT_EQ(add_in_two_threads(true), 2); }

TEST(Sum, UnderTwoLocks) { EXPECT_EQ(add_in_two_threads(false), 2) << "an addition was lost"; }

TEST(Sum, DISABLED_Never) { FAIL(); }

TEST(Locks, InOppositeOrders) {
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

TEST_P(Threads, AreJoined) {
    int made = 0;
    for (int i = 0; i < GetParam(); ++i) std::thread([&] { made += 1; }).join();
    EXPECT_EQ(made, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Few, Threads, testing::Values(1, 2));
