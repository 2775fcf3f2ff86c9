// compare_programs SECONDS [FIRST_SEED [FAMILY]]: compares the searches with brute force on random programs
// of all families, or of one, until the time is up or a difference is found. Prints one line per family;
// exits with 1 on a difference.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/explorer/comparison.hpp"
#include "tests/support/generator.hpp"

int main(int argc, char** argv) {
    using namespace coopcheck::testing;
    using Clock = std::chrono::steady_clock;
    if (argc < 2 || argc > 4) {
        std::cerr << "compare_programs SECONDS [FIRST_SEED [FAMILY]]\n";
        return 2;
    }
    const auto end = Clock::now() + std::chrono::seconds(std::strtoll(argv[1], nullptr, 10));
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    constexpr std::size_t at_once = 10;
    std::map<std::string, ComparisonTotals> totals;
    while (Clock::now() < end) {
        for (const Shape& shape : families()) {
            if (Clock::now() >= end) {
                break;
            }
            if (argc > 3 && shape.name != argv[3]) {
                continue;
            }
            // One program in ten is large.
            const ProgramSize size = seed / at_once % 10 == 9 ? ProgramSize::Full : ProgramSize::Small;
            const ComparisonTotals some =
                compare_family(shape.name, size, seed, at_once, OnMismatch::Explain);
            ComparisonTotals& all = totals[shape.name];
            all.programs += some.programs;
            all.too_large += some.too_large;
            all.searches += some.searches;
            all.searches_cut += some.searches_cut;
            all.with_deadlock += some.with_deadlock;
            all.with_assertion += some.with_assertion;
            all.with_misuse += some.with_misuse;
            if (!some.first_mismatch.empty()) {
                std::cout << some.first_mismatch << '\n';
                return 1;
            }
        }
        seed += at_once;
    }
    for (const auto& [name, all] : totals) {
        std::cout << name << ": " << all.programs << " programs (" << all.too_large << " too large), "
                  << all.searches << " searches (" << all.searches_cut << " cut), " << all.with_deadlock
                  << " with a deadlock, " << all.with_assertion << " with a failing assertion, "
                  << all.with_misuse << " with a misuse: no difference\n";
    }
    std::cout << "next seed: " << seed << '\n';
    return 0;
}
