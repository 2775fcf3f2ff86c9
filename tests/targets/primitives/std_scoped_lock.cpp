// Two locks taken one by one, or both at once by std::scoped_lock.
#include <mutex>
#include <thread>

static std::mutex left, right;

static void go(std::mutex& first, std::mutex& second) {
#ifdef FIXED
    const std::scoped_lock both(first, second);
#else
    const std::scoped_lock one(first);
    const std::scoped_lock two(second);  // BUG
#endif
}

int main() {
    std::thread other([] { go(left, right); });
    go(right, left);
    other.join();
}
