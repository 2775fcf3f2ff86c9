// compare_twins SECONDS [FIRST_SEED [FAMILY]]: explores random programs of all families, or of one, on fibers
// and as real processes under the tracer, until the time is up or the two differ. Prints one line per family;
// exits with 1 on a difference.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>

#include "tests/tracer/twins.hpp"

namespace {

int run(int argc, char** argv) {
    using namespace coopcheck::testing;
    using namespace coopcheck::tracer::test;
    using Clock = std::chrono::steady_clock;
    if (argc < 2 || argc > 4) {
        std::cerr << "compare_twins SECONDS [FIRST_SEED [FAMILY]]\n";
        return 2;
    }
    const auto end = Clock::now() + std::chrono::seconds(std::strtoll(argv[1], nullptr, 10));
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    struct Totals {
        std::size_t programs = 0;
        TwinComparison comparison;
    };
    std::map<std::string, Totals> totals;
    for (; Clock::now() < end; ++seed) {
        for (const Shape& shape : twin_shapes()) {
            if (Clock::now() >= end) {
                break;
            }
            if (argc > 3 && shape.name != argv[3]) {
                continue;
            }
            Totals& all = totals[shape.name];
            all.programs += 1;
            all.comparison.add(compare_twins(generate(seed, shape), shape, COOPCHECK_INTERPRETER));
            if (!all.comparison.difference.empty()) {
                std::cout << "seed " << seed << ", " << all.comparison.difference << '\n';
                return 1;
            }
        }
    }
    for (const auto& [name, all] : totals) {
        std::cout << name << ": " << all.programs << " programs, " << all.comparison.searches << " searches ("
                  << all.comparison.cut << " cut, " << all.comparison.ambiguous << " ambiguous), "
                  << all.comparison.paths << " paths, " << all.comparison.findings
                  << " findings: no difference\n";
    }
    std::cout << "next seed: " << seed << '\n';
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
