// notify_one where two wait for different things, on a condition for any lock.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static std::condition_variable_any changed;
static int stage;

static void await_stage(int wanted) {
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return stage >= wanted; });  // BUG
    stage += 1;
#ifdef FIXED
    changed.notify_all();
#else
    changed.notify_one();
#endif
}

int main() {
    std::thread first(await_stage, 1);
    std::thread second(await_stage, 2);
    await_stage(0);
    first.join();
    second.join();
}
