// compare_bounds SECONDS [FIRST_SEED [FAMILY [BOUND]]]: counts the schedules of random programs within bounds
// from 0 to 3 preemptions, or to BOUND, until the time is up: all there are (context bounding as such), and
// those that the search by blocks and the one for classes run. That all of them find the same is the business
// of compare_programs.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/explorer/comparison.hpp"
#include "tests/support/generator.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::testing;

constexpr unsigned highest_bound = 3;
/// Programs that have more are left out.
constexpr std::size_t most_schedules = 200'000;

/// The program that is worst off with classes.
struct Worst {
    std::size_t other = 0;
    std::size_t classes = 0;
    std::string program;

    /// By how many times it has more.
    void see(std::size_t others, std::size_t of_classes, const std::string& name) {
        if (of_classes > others && (program.empty() || of_classes * other > classes * others)) {
            *this = {others, of_classes, name};
        }
    }
    void print(const char* than) const {
        if (!program.empty()) {
            std::cout << "  worst: " << classes << " by classes, " << other << ' ' << than << " (" << program
                      << ")\n";
        }
    }
};

struct Count {
    std::size_t all = 0;
    std::size_t blocks = 0;
    std::size_t classes = 0;
    std::size_t more_than_all = 0;
    std::size_t more_than_blocks = 0;
    Worst worst_of_all;
    Worst worst_of_blocks;
};

SearchResult run(const Program& program, unsigned bound, Reduction reduction, Pruning pruning) {
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = bound;
    options.spin_limit = 30;
    options.budget.schedules = most_schedules;
    options.reduction = reduction;
    options.pruning = pruning;
    return search(program, {}, options).result;
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
    if (argc < 2 || argc > 5) {
        std::cerr << "compare_bounds SECONDS [FIRST_SEED [FAMILY [BOUND]]]\n";
        return 2;
    }
    const auto end = Clock::now() + std::chrono::seconds(std::strtoll(argv[1], nullptr, 10));
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const unsigned highest =
        argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : highest_bound;
    std::size_t programs = 0;
    std::size_t left_out = 0;
    std::vector<Count> counts(highest + 1);
    for (; Clock::now() < end; ++seed) {
        for (const Shape& family : families()) {
            if (Clock::now() >= end) break;
            if (argc > 3 && family.name != argv[3]) continue;
            Shape shape = family;
            shape.max_threads = std::min(shape.max_threads, 3);
            shape.total_operations = 12;
            const Program program = generate(seed, shape);
            const SearchResult all = run(program, highest, Reduction::Blocks, Pruning::None);
            if (!all.exhausted) {
                left_out += 1;
                continue;
            }
            const SearchResult blocks = run(program, highest, Reduction::Blocks, Pruning::ReadWrite);
            const SearchResult classes = run(program, highest, Reduction::Source, Pruning::ReadWrite);
            if (!blocks.exhausted || !classes.exhausted) {
                std::cout << "not finished within " << most_schedules
                          << " schedules, unlike all schedules: " << family.name << ", seed " << seed << '\n';
                left_out += 1;
                continue;
            }
            programs += 1;
            const std::string name = family.name + ", seed " + std::to_string(seed);
            for (std::size_t bound = 0; bound < counts.size(); ++bound) {
                Count& count = counts[bound];
                count.all += upto(all, bound);
                count.blocks += upto(blocks, bound);
                count.classes += upto(classes, bound);
                count.more_than_all += upto(classes, bound) > upto(all, bound) ? 1 : 0;
                count.more_than_blocks += upto(classes, bound) > upto(blocks, bound) ? 1 : 0;
                count.worst_of_all.see(upto(all, bound), upto(classes, bound), name);
                count.worst_of_blocks.see(upto(blocks, bound), upto(classes, bound), name);
            }
        }
    }
    for (std::size_t bound = 0; bound < counts.size(); ++bound) {
        const Count& count = counts[bound];
        std::cout << "bound " << bound << ": " << count.all << " in all, " << count.blocks << " by blocks, "
                  << count.classes << " by classes; more by classes than in all in " << count.more_than_all
                  << ", than by blocks in " << count.more_than_blocks << " of " << programs << " programs\n";
        count.worst_of_all.print("in all");
        count.worst_of_blocks.print("by blocks");
    }
    std::cout << "left out: " << left_out << " programs with more than " << most_schedules << " schedules\n";
    std::cout << "next seed: " << seed << '\n';
    return 0;
}
