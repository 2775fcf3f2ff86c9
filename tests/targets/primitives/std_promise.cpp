// Whoever is first may keep the promise; the second one must not.
#include <future>
#include <mutex>
#include <thread>

static std::promise<int> promise;
static std::mutex lock;
static bool kept;

static void keep(int value) {
    bool mine = false;
    {
        const std::lock_guard guard(lock);
        mine = !kept;
#ifdef FIXED
        kept = true;
#endif
    }
    if (!mine) return;
    promise.set_value(value);  // BUG
    const std::lock_guard guard(lock);
    kept = true;
}

int main() {
    std::future<int> future = promise.get_future();
    std::thread other(keep, 1);
    keep(2);
    other.join();
    return future.get() == 0;
}
