// What a reader saw may be different when it has become the writer.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int made;

static void make_once() {
    {
        const std::shared_lock guard(lock);
        if (made != 0) return;
    }
    const std::unique_lock guard(lock);
#ifdef FIXED
    if (made != 0) return;
#endif
    made += 1;
}

int main() {
    std::thread other(make_once);
    make_once();
    other.join();
    assert(made == 1);  // BUG
}
