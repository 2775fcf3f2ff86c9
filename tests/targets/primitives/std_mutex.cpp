// A read and a write of a counter, each under the lock but not together.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int counter;

static void increment() {
    int seen = 0;
#ifdef FIXED
    const std::lock_guard guard(lock);
    seen = counter;
#else
    {
        const std::lock_guard guard(lock);
        seen = counter;
    }
    const std::lock_guard guard(lock);
#endif
    counter = seen + 1;
}

int main() {
    std::thread other(increment);
    increment();
    other.join();
    assert(counter == 2);  // BUG
}
