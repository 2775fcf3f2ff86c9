// A lock-free stack whose pop compares the top with what it saw before. A node that was taken and put back in the
// meantime looks the same, and the node below it, which has been taken for good, becomes the top (A, B, A).
// Nothing but atomic accesses: it is found only where these are points to switch at. One preemption, of a pop between
// looking and exchanging.
// Fixed: a counter in the top tells one A from the other.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

constexpr std::uint32_t none = 0;

struct Node {
    std::atomic<std::uint32_t> next{none};
    std::atomic<bool> is_free{true};
};

std::array<Node, 4> nodes;  // 0 is none

/// The number of the top node, with a count of changes in the upper half.
std::atomic<std::uint64_t> top{none};

std::uint64_t changed(std::uint64_t old_top, std::uint32_t node) {
#ifdef FIXED
    return ((old_top >> 32) + 1) << 32 | node;
#else
    static_cast<void>(old_top);
    return node;
#endif
}

void push(std::uint32_t node) {
    std::uint64_t seen = top.load();
    do {
        nodes[node].next.store(static_cast<std::uint32_t>(seen));
    } while (!top.compare_exchange_strong(seen, changed(seen, node)));
}

std::uint32_t pop() {
    std::uint64_t seen = top.load();
    while (static_cast<std::uint32_t>(seen) != none) {
        const std::uint32_t node = static_cast<std::uint32_t>(seen);
        const std::uint32_t next = nodes[node].next.load();
        if (top.compare_exchange_strong(seen, changed(seen, next))) return node;
    }
    return none;
}

/// What was popped belongs to one thread alone.
std::uint32_t take() {
    const std::uint32_t node = pop();
    if (node == none) return none;
    const bool was_free = nodes[node].is_free.exchange(false);
    assert(was_free);  // BUG
    return node;
}

void give_back(std::uint32_t node) {
    nodes[node].is_free.store(true);
    push(node);
}

}  // namespace

int main() {
    push(3);
    push(2);
    push(1);
    std::thread one([] {
        take();
        take();
    });
    std::thread other([] {
        const std::uint32_t first = take();
        take();
        if (first != none) give_back(first);
    });
    one.join();
    other.join();
}
