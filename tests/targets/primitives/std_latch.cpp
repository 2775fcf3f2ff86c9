// A thread that stops early does not count down, and the others wait for ever.
#include <latch>
#include <mutex>
#include <thread>

static std::latch all_ready(2);
static std::mutex lock;
static bool stop;

static void work() {
    bool stopped = false;
    {
        const std::lock_guard guard(lock);
        stopped = stop;
    }
#ifdef FIXED
    all_ready.count_down();
#else
    if (!stopped) all_ready.count_down();
#endif
    (void)stopped;
}

int main() {
    std::thread first(work);
    std::thread second([] {
        const std::lock_guard guard(lock);
        stop = true;
        all_ready.count_down();
    });
    all_ready.wait();  // BUG
    first.join();
    second.join();
}
