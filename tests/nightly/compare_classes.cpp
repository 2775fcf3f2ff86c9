// compare_classes SECONDS [FIRST_SEED]: compares partial-order reduction with all classes of random programs
// of all families until the time is up or a difference is found. Exits with 1 on a difference.
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/explorer/classes.hpp"

int main(int argc, char** argv) {
    using namespace coopcheck::testing;
    using Clock = std::chrono::steady_clock;
    if (argc < 2 || argc > 3) {
        std::cerr << "compare_classes SECONDS [FIRST_SEED]\n";
        return 2;
    }
    const auto end = Clock::now() + std::chrono::seconds(std::strtoll(argv[1], nullptr, 10));
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    constexpr std::size_t at_once = 5;
    ClassTotals all;
    while (Clock::now() < end) {
        // Every other time with more threads.
        const bool is_large = seed / at_once % 2 == 1;
        const ClassSizes sizes{is_large ? 4 : 3, is_large ? 12 : 10, 8'000};
        for (const Shape& shape : families()) {
            if (shape.has_endless_schedules() || Clock::now() >= end) {
                continue;
            }
            for (const bool optimal : {false, true}) {
                const ClassTotals some = compare_classes_of(shape, seed, at_once, optimal, sizes);
                all.compared += some.compared;
                all.too_large += some.too_large;
                all.classes += some.classes;
                if (!some.first_mismatch.empty()) {
                    std::cout << some.first_mismatch << '\n';
                    return 1;
                }
            }
        }
        seed += at_once;
    }
    std::cout << all.compared << " comparisons (" << all.too_large << " too large), " << all.classes
              << " classes: no difference\nnext seed: " << seed << '\n';
    return 0;
}
