// A lock for readers and writers in which a reader can become the writer: it waits until it is the only reader. Two
// readers that want that at the same time wait for each other.
// One preemption: a reader before it asks.
// Fixed: the second one to ask is refused and has to leave first.
#include <cassert>
#include <condition_variable>
#include <mutex>

#include "corpus/threads.h"

namespace {

class UpgradeMutex {
public:
    void lock_shared() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !is_written_ && !is_upgrading_; });
        readers_ += 1;
    }

    void unlock_shared() {
        const std::lock_guard lock(mutex_);
        readers_ -= 1;
        changed_.notify_all();
    }

    /// From shared to exclusive; false if somebody else is about to.
    bool upgrade() {
        std::unique_lock lock(mutex_);
#ifdef FIXED
        if (is_upgrading_) return false;
#endif
        is_upgrading_ = true;
        while (readers_ > 1) changed_.wait(lock);  // BUG
        is_upgrading_ = false;
        is_written_ = true;
        readers_ -= 1;
        return true;
    }

    void unlock() {
        const std::lock_guard lock(mutex_);
        is_written_ = false;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int readers_ = 0;
    bool is_upgrading_ = false;
    bool is_written_ = false;
};

UpgradeMutex upgrade_mutex;
int value;

void* run(void* unused) {
    upgrade_mutex.lock_shared();
    while (!upgrade_mutex.upgrade()) {
        upgrade_mutex.unlock_shared();
        upgrade_mutex.lock_shared();
    }
    value += 1;
    upgrade_mutex.unlock();
    return unused;
}

}  // namespace

// shared_mutex_upgrade [THREADS]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    run_threads(threads, run);
    assert(value == threads);
}
