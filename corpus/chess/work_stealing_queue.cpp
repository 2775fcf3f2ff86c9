// CHESS: a work-stealing queue after the THE protocol of Cilk. The owner pushes and pops at the tail without a lock,
// thieves take from the head with one. A thief has to announce that it takes (by moving the head) before it looks at
// the tail; this one looks first, so that it and the owner can take the same item.
// Nothing but atomic accesses is between the two: it is found only where these are points to switch at. Two preemptions:
// of the owner, which is the main thread, before it has taken everything, and of the thief between looking and moving.
// Fixed: first move, then look, and back if there was nothing.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "corpus/threads.h"

namespace {

constexpr int items = 2;

class WorkStealingQueue {
public:
    void push(int item) {
        const int tail = tail_.load();
        items_[static_cast<std::size_t>(tail)] = item;
        tail_.store(tail + 1);
    }

    /// By the owner alone.
    std::optional<int> pop() {
        const int tail = tail_.load() - 1;
        tail_.store(tail);
        if (head_.load() <= tail) return items_[static_cast<std::size_t>(tail)];
        // Somebody may be about to take the last one: look again when nobody steals.
        tail_.store(tail + 1);
        const std::lock_guard guard(stealing_);
        if (head_.load() > tail) return std::nullopt;
        tail_.store(tail);
        return items_[static_cast<std::size_t>(tail)];
    }

    std::optional<int> steal() {
        const std::lock_guard guard(stealing_);
        const int head = head_.load();
#ifdef FIXED
        head_.store(head + 1);
        if (head >= tail_.load()) {
            head_.store(head);
            return std::nullopt;
        }
#else
        if (head >= tail_.load()) return std::nullopt;
        head_.store(head + 1);
#endif
        return items_[static_cast<std::size_t>(head)];
    }

private:
    std::mutex stealing_;
    std::atomic<int> head_{0};
    std::atomic<int> tail_{0};
    std::array<int, items> items_{};
};

}  // namespace

// work_stealing_queue [THREADS]: the owner and thieves
int main(int count, char** arguments) {
    const int thieves = number_argument(count, arguments, 1, 2, 2, most_threads) - 1;
    WorkStealingQueue queue;
    std::array<std::atomic<int>, items> taken{};
    const auto take = [&](std::optional<int> item) {
        if (!item) return;
        const int before = taken[static_cast<std::size_t>(*item)].fetch_add(1);
        assert(before == 0);  // BUG
    };
    for (int item = 0; item < items; ++item) queue.push(item);
    std::vector<std::thread> threads;
    for (int i = 0; i < thieves; ++i) threads.emplace_back([&] { take(queue.steal()); });
    for (int i = 0; i < items; ++i) take(queue.pop());
    for (std::thread& thread : threads) thread.join();
}
