// A notification that nobody waits for yet is lost when there is no state to look at.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

static void produce() {
    {
        const std::lock_guard guard(lock);
        ready = true;
    }
    changed.notify_one();
}

int main() {
    std::thread producer(produce);
    {
        std::unique_lock guard(lock);
#ifdef FIXED
        changed.wait(guard, [] { return ready; });
#else
        changed.wait(guard);  // BUG
#endif
    }
    producer.join();
}
