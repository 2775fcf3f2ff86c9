// A token that a thread keeps when it stops early.
#include <mutex>
#include <semaphore>
#include <thread>

static std::binary_semaphore token(1);
static std::mutex lock;
static bool stop, said;

static void work() {
    token.acquire();
    bool stopped = false;
    {
        const std::lock_guard guard(lock);
        stopped = stop;
    }
#ifndef FIXED
    if (stopped) return;
#endif
    (void)stopped;
    token.release();
}

int main() {
    std::thread first(work);
    {
        const std::lock_guard guard(lock);
        stop = true;
    }
    {
        const std::lock_guard guard(lock);
        said = true;
    }
    token.acquire();  // BUG
    token.release();
    first.join();
}
