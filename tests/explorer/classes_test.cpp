// Partial-order reduction against all classes of equivalent runs of random programs.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/explorer/classes.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/shrink.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::size_t programs = 60;
constexpr std::size_t most_prefixes = 4'000;

std::vector<ModelOptions> models_of(const std::string& family) {
    if (family.find("time") != std::string::npos) {
        return {{.explore_timeouts = true, .spurious_wakeups = 0}, {}};
    }
    if (family.find("condition") != std::string::npos) {
        return {{}, {.explore_timeouts = false, .spurious_wakeups = 1}};
    }
    return {{}};
}

void compare(Shape shape, std::uint64_t first, std::size_t count, bool optimal) {
    shape.max_threads = std::min(shape.max_threads, 3);
    shape.total_operations = 10;
    std::size_t too_large = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Program program = generate(seed, shape);
        for (const ModelOptions& model : models_of(shape.name)) {
            const ClassComparison result = compare_classes(program, model, optimal, most_prefixes);
            too_large += result.too_large ? 1 : 0;
            if (!result.mismatch.empty()) {
                const Program small = shrink(program, [&](const Program& smaller) {
                    return !compare_classes(smaller, model, optimal, most_prefixes).mismatch.empty();
                });
                FAIL_CHECK(shape.name, ", seed ", seed, (optimal ? ", optimal" : ", source"),
                     (model.explore_timeouts ? ", timeouts" : ""), (model.spurious_wakeups > 0 ? ", spurious" : ""),
                     ": ",
                     compare_classes(small, model, optimal, most_prefixes).mismatch, to_code(small));
                return;
            }
        }
    }
    CHECK(too_large * 2 <= count);
}

}  // namespace

TEST_SUITE("classes") {
    TEST_CASE("source sets run every class of every random program") {
        for (const Shape& shape : families()) {
            if (!shape.has_endless_schedules()) {
                compare(shape, 1, programs, false);
            }
        }
    }
    TEST_CASE("the optimal search runs every class of every random program exactly once") {
        for (const Shape& shape : families()) {
            if (!shape.has_endless_schedules()) {
                compare(shape, 1, programs, true);
            }
        }
    }
}

}  // namespace coopcheck::testing
