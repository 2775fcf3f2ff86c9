// rstest, section 7.3: the animation library Xtango. exchangePosAsync lets two circles change places in a thread of its
// own, exchangePos in the caller's; both lock the first circle and then the second. The demo calls one with (c1, c2) and
// the other with (c2, c1).
// One preemption: a thread between its two circles.
// Fixed: circles are locked in the order of their numbers.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Circle {
    Circle(int its_number, int its_place) : number(its_number), place(its_place) {}

    int number;
    int place;
    std::mutex mutex;
};

/// They slide across the screen, a step at a time.
void slide(Circle& first, Circle& second) {
    const int from = first.place;
    const int to = second.place;
    constexpr int steps = 3;
    for (int step = 1; step <= steps; ++step) {
        first.place = from + (to - from) * step / steps;
        second.place = to + (from - to) * step / steps;
    }
}

void exchange_pos(Circle& first, Circle& second) {
#ifdef FIXED
    Circle& lower = first.number < second.number ? first : second;
    Circle& higher = first.number < second.number ? second : first;
#else
    Circle& lower = first;
    Circle& higher = second;
#endif
    const std::lock_guard one(lower.mutex);
    const std::lock_guard other(higher.mutex);  // BUG
    slide(first, second);
}

std::thread exchange_pos_async(Circle& first, Circle& second) {
    return std::thread([&] { exchange_pos(first, second); });
}

}  // namespace

int main() {
    Circle c1(1, 10);
    Circle c2(2, 40);
    std::thread sliding = exchange_pos_async(c1, c2);
    exchange_pos(c2, c1);
    sliding.join();
    assert(c1.place == 10 && c2.place == 40);
}
