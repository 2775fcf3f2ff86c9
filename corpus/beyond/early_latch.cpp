// Workers count a latch down and then hand over their results; who waits for the latch may find that some are missing.
// One preemption: a worker between the two.
// Fixed: handed over first.
#include <cassert>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "corpus/threads.h"

// early_latch [WORKERS]
int main(int count, char** arguments) {
    const int workers = number_argument(count, arguments, 1, 2, 1, most_threads);
    std::latch ready(workers);
    std::mutex mutex;
    int results = 0;
    const auto hand_over = [&] {
        const std::lock_guard lock(mutex);
        results += 1;
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i) {
        threads.emplace_back([&] {
#ifdef FIXED
            hand_over();
            ready.count_down();
#else
            ready.count_down();
            hand_over();
#endif
        });
    }
    ready.wait();
    {
        const std::lock_guard lock(mutex);
        assert(results == workers);  // BUG
    }
    for (std::thread& thread : threads) thread.join();
}
