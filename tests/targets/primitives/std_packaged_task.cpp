// A task that is run by the first who sees that it was not run.
#include <future>
#include <mutex>
#include <thread>

static std::packaged_task<int()> task([] { return 1; });
static std::mutex lock;
static bool started;

static void help() {
    bool mine = false;
    {
        const std::lock_guard guard(lock);
        mine = !started;
#ifdef FIXED
        started = true;
#endif
    }
    if (!mine) return;
    task();  // BUG
    const std::lock_guard guard(lock);
    started = true;
}

int main() {
    std::future<int> future = task.get_future();
    std::thread other(help);
    help();
    other.join();
    return future.get() == 0;
}
