// notify_one where two wait.
#include <atomic>
#include <mutex>
#include <thread>

static std::atomic<int> stage;
static std::mutex lock;
static int waiting;

static void await_stage() {
    {
        const std::lock_guard guard(lock);
        waiting += 1;
    }
    stage.wait(0);  // BUG
}

int main() {
    std::thread first(await_stage);
    std::thread second(await_stage);
    {
        const std::lock_guard guard(lock);
        stage = 1;
#ifdef FIXED
        stage.notify_all();
#else
        stage.notify_one();
#endif
    }
    first.join();
    second.join();
}
