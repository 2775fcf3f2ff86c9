// The end of a jthread asks it to stop and waits; a wait that does not know of the request never ends.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex lock;
static std::condition_variable_any changed;
static bool ready;

static void await(std::stop_token stop) {
    std::unique_lock guard(lock);
#ifdef FIXED
    changed.wait(guard, stop, [] { return ready; });
#else
    while (!ready && !stop.stop_requested()) {
        changed.wait(guard);  // BUG
    }
#endif
}

int main() {
    const std::jthread waiter(await);
    const std::lock_guard guard(lock);
}
