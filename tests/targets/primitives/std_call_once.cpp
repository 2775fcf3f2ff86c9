// A routine that fails is run again, by whoever comes next: what it did before it failed is done twice.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static std::mutex lock;
static int opened;
static bool network;

static void open_connection() {
    const std::lock_guard guard(lock);
#ifdef FIXED
    if (!network) throw std::runtime_error("no network");
    opened += 1;
#else
    opened += 1;
    if (!network) throw std::runtime_error("no network");
#endif
    assert(opened == 1);  // BUG
}

static void use() {
    try {
        std::call_once(once, open_connection);
    } catch (const std::runtime_error&) {
    }
}

int main() {
    std::thread other(use);
    {
        const std::lock_guard guard(lock);
        network = true;
    }
    use();
    other.join();
}
