// A promise that is given up: who waits for it gets an exception.
#include <future>
#include <mutex>
#include <thread>
#include <utility>

static std::mutex lock;
static bool stop;

static void keep(std::promise<int> promise) {
    const std::lock_guard guard(lock);
#ifndef FIXED
    if (stop) return;
#endif
    promise.set_value(1);
}

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread keeper(keep, std::move(promise));
    {
        const std::lock_guard guard(lock);
        stop = true;
    }
    const int value = future.get();  // BUG
    keeper.join();
    return value == 0;
}
