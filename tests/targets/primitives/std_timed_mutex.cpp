// A lock with a time limit, used whether the limit ran out or not.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex left, right;

static void go_left() {
    const std::lock_guard guard(right);
    std::unique_lock other(left, std::chrono::seconds(1));
}

int main() {
    std::thread other(go_left);
    {
        const std::lock_guard guard(left);
        const bool locked = right.try_lock_for(std::chrono::seconds(1));
#ifdef FIXED
        if (locked) right.unlock();
#else
        (void)locked;
        right.unlock();  // BUG
#endif
    }
    other.join();
}
