// A thread pool whose stop flag is atomic, and therefore set without the mutex: a worker that has looked at it and is
// about to wait does not hear that it was set, and is never joined. It is stopped by a thread of its own, as by one that
// waits for a signal to end.
// One preemption: a worker between looking and waiting.
// Fixed: the flag is set with the mutex.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "corpus/threads.h"

namespace {

class ThreadPool {
public:
    explicit ThreadPool(int workers) {
        for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
    }

    ~ThreadPool() {
        for (std::thread& worker : workers_) worker.join();
    }

    void stop() {
        {
#ifdef FIXED
            const std::lock_guard lock(mutex_);
#endif
            stopping_ = true;
        }
        changed_.notify_all();
    }

    void submit(std::function<void()> task) {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        changed_.notify_one();
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            if (!tasks_.empty()) {
                const std::function<void()> task = std::move(tasks_.front());
                tasks_.pop_front();
                lock.unlock();
                task();
                lock.lock();
            } else if (stopping_) {
                return;
            } else {
                changed_.wait(lock);  // BUG
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::atomic<bool> stopping_{false};
    std::vector<std::thread> workers_;
};

}  // namespace

// thread_pool_shutdown [WORKERS]
int main(int count, char** arguments) {
    std::atomic<int> done{0};
    {
        ThreadPool pool(number_argument(count, arguments, 1, 1, 1, most_threads));
        pool.submit([&] { done += 1; });
        std::thread stopping([&] { pool.stop(); });
        stopping.join();
    }
    assert(done == 1);
}
