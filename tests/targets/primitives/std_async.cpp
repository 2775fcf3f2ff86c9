// The result of std::async is waited for with a lock held that the task needs.
#include <future>
#include <mutex>

static std::mutex lock;

static int work() {
    const std::lock_guard guard(lock);
    return 1;
}

int main() {
    std::future<int> result = std::async(std::launch::async, work);
    std::unique_lock guard(lock);
#ifdef FIXED
    guard.unlock();
#endif
    const int value = result.get();  // BUG
    return value == 0;
}
