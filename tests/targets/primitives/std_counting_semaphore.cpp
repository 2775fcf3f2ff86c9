// Two threads take two of three permits, one by one.
#include <mutex>
#include <semaphore>
#include <thread>

#ifdef FIXED
static std::counting_semaphore<8> permits(3);
#else
static std::counting_semaphore<8> permits(2);
#endif
static std::mutex lock;
static int used;

static void count() {
    const std::lock_guard guard(lock);
    used += 1;
}

static void work() {
    permits.acquire();
    count();
    permits.acquire();  // BUG
    permits.release(2);
}

int main() {
    std::thread other(work);
    work();
    other.join();
}
