// A wait with a time limit that nobody can end, because the one to end it needs the other lock.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex outer, lock;
static std::condition_variable changed;
static bool ready;

static void produce() {
    const std::lock_guard first(outer);
    const std::lock_guard second(lock);
    ready = true;
    changed.notify_one();
}

int main() {
    std::thread producer(produce);
    {
        std::unique_lock first(outer);
#ifdef FIXED
        first.unlock();
#endif
        std::unique_lock second(lock);
        const bool in_time = changed.wait_for(second, std::chrono::seconds(1), [] { return ready; });
        assert(in_time);  // BUG
    }
    producer.join();
}
