// A future that was not ready in time has no value yet.
#include <cassert>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

static std::mutex lock;

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread keeper([&] {
        const std::lock_guard guard(lock);
        promise.set_value(1);
    });
    {
        std::unique_lock guard(lock);
#ifdef FIXED
        guard.unlock();
#endif
        const auto status = future.wait_for(std::chrono::seconds(1));
        assert(status == std::future_status::ready);  // BUG
    }
    keeper.join();
}
