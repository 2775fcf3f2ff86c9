// A lock that another thread keeps until it is told to stop is not had in time.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::recursive_timed_mutex left, right;

static void go_left() {
    const std::lock_guard guard(right);
    const std::lock_guard again(right);
    std::unique_lock other(left, std::chrono::steady_clock::now() + std::chrono::seconds(1));
}

int main() {
    std::thread other(go_left);
    {
#ifdef FIXED
        const std::lock_guard first(right);
#endif
        const std::lock_guard guard(left);
        const bool locked = right.try_lock_until(std::chrono::system_clock::now() + std::chrono::seconds(1));
        assert(locked);  // BUG
        right.unlock();
    }
    other.join();
}
