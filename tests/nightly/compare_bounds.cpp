// compare_bounds SECONDS [FIRST_SEED [FAMILY]]: counts the schedules that the search for classes and the one
// by blocks run on random programs within bounds of 0 to 3 preemptions, until the time is up. That both find
// the same is the business of compare_programs.
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/explorer/comparison.hpp"
#include "tests/support/generator.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::testing;

constexpr unsigned highest_bound = 3;
constexpr std::size_t most_schedules = 4'000;

struct Count {
    std::size_t blocks = 0;
    std::size_t classes = 0;
    std::size_t programs_with_more = 0;
};

SearchOptions within_bounds(Reduction reduction) {
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = highest_bound;
    options.spin_limit = 30;
    options.budget.schedules = most_schedules;
    options.reduction = reduction;
    return options;
}

/// Paths up to a bound.
std::size_t upto(const SearchResult& result, std::size_t bound) {
    std::size_t paths = 0;
    for (std::size_t at = 0; at <= bound && at < result.paths_at_bound.size(); ++at) {
        paths += result.paths_at_bound[at];
    }
    return paths;
}

}  // namespace

int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
    if (argc < 2 || argc > 4) {
        std::cerr << "compare_bounds SECONDS [FIRST_SEED [FAMILY]]\n";
        return 2;
    }
    const auto end = Clock::now() + std::chrono::seconds(std::strtoll(argv[1], nullptr, 10));
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::size_t programs = 0;
    std::array<Count, highest_bound + 1> counts{};
    for (; Clock::now() < end; ++seed) {
        for (const Shape& family : families()) {
            if (Clock::now() >= end) break;
            if (argc > 3 && family.name != argv[3]) continue;
            Shape shape = family;
            shape.max_threads = std::min(shape.max_threads, 3);
            shape.total_operations = 12;
            const Program program = generate(seed, shape);
            const SearchResult blocks = search(program, {}, within_bounds(Reduction::Blocks)).result;
            const SearchResult classes = search(program, {}, within_bounds(Reduction::Source)).result;
            if (!blocks.exhausted || !classes.exhausted) continue;
            programs += 1;
            for (std::size_t bound = 0; bound < counts.size(); ++bound) {
                counts[bound].blocks += upto(blocks, bound);
                counts[bound].classes += upto(classes, bound);
                counts[bound].programs_with_more += upto(classes, bound) > upto(blocks, bound) ? 1 : 0;
            }
        }
    }
    for (std::size_t bound = 0; bound < counts.size(); ++bound) {
        std::cout << "bound " << bound << ": " << counts[bound].blocks << " by blocks, "
                  << counts[bound].classes << " by classes; more by classes in "
                  << counts[bound].programs_with_more << " of " << programs << " programs\n";
    }
    std::cout << "next seed: " << seed << '\n';
    return 0;
}
