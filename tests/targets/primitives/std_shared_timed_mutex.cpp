// Two readers that both want to write: a time limit frees them, and one of them does not look.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_timed_mutex left, right;

static void go_left() {
    const std::shared_lock reader(right, std::chrono::seconds(1));
    if (!reader) return;
    const std::unique_lock writer(left, std::chrono::seconds(1));
}

int main() {
    std::thread other(go_left);
    {
        const std::shared_lock reader(left);
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
