// A time limit runs out because the only notification came before the wait, with no state to look at.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

static void produce() {
    const std::lock_guard guard(lock);
#ifdef FIXED
    ready = true;
#endif
    changed.notify_all();
}

int main() {
    std::thread producer(produce);
    {
        std::unique_lock guard(lock);
        const auto limit = std::chrono::system_clock::now() + std::chrono::seconds(1);
        const bool in_time = ready || changed.wait_until(guard, limit) == std::cv_status::no_timeout;
        assert(in_time);  // BUG
    }
    producer.join();
}
