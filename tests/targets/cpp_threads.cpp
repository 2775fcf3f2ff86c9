// What the C++ library makes of it: mutexes, conditions, once, semaphores, latches, barriers, futures,
// atomics that wait.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {
std::mutex mutex;
std::recursive_mutex recursive;
std::timed_mutex timed;
std::shared_mutex shared;
std::condition_variable changed;
std::once_flag flag;
int tries = 0;

struct Slow {
    Slow() {
        const std::lock_guard guard(mutex);
        tries += 100;
    }
};
void use_static() { static const Slow slow; }
}  // namespace

int main() {
    bool ready = false;
    int sum = 0;
    std::counting_semaphore<4> tokens(1);
    std::latch latch(2);
    std::barrier barrier(2);
    std::atomic<int> stage = 0;
    {
        std::jthread worker([&] {
            tokens.acquire();
            use_static();
            latch.arrive_and_wait();
            try {
                std::call_once(flag, [] {
                    tries += 1;
                    throw std::runtime_error("again");
                });
            } catch (const std::runtime_error&) {
            }
            std::call_once(flag, [] { tries += 1; });
            barrier.arrive_and_wait();
            {
                const std::lock_guard guard(mutex);
                ready = true;
            }
            changed.notify_one();
            stage = 1;
            stage.notify_all();
            const std::shared_lock reading(shared);
            sum += 1;
        });
        use_static();
        latch.arrive_and_wait();
        barrier.arrive_and_wait();
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ready; });
        lock.unlock();
        stage.wait(0);
    }
    {
        const std::scoped_lock both(recursive, timed);
        const std::lock_guard again(recursive);
        std::async(std::launch::async, [&] { sum += timed.try_lock_for(50ms) ? 1000 : 10; }).get();
    }
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread sender([&] { promise.set_value(5); });
    sum += future.get();
    sender.join();
    {
        std::unique_lock lock(mutex);
        sum += changed.wait_for(lock, 20ms) == std::cv_status::timeout ? 100 : 0;
    }
    std::this_thread::sleep_for(1ms);
    std::cout << sum << " " << tries << std::endl;
}
