// A thread that stops does not come to the barrier any more; it has to say so.
#include <barrier>
#include <mutex>
#include <thread>

static std::barrier<> barrier(2);
static std::mutex lock;
static bool stop;

static void work() {
    bool stopped = false;
    {
        const std::lock_guard guard(lock);
        stopped = stop;
    }
    if (stopped) {
#ifdef FIXED
        barrier.arrive_and_drop();
#endif
        return;
    }
    barrier.arrive_and_wait();
}

int main() {
    std::thread other(work);
    {
        const std::lock_guard guard(lock);
        stop = true;
    }
    barrier.arrive_and_wait();  // BUG
    other.join();
}
