#include "explorer/noise_policy.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <vector>

using namespace coopcheck;

namespace {

std::string function_of(std::uint64_t site) { return site == 0 ? "" : std::string(1, "?fgh"[site]); }

NoisePoint point(std::uint32_t thread, const std::string& function, std::vector<std::string> others = {}) {
    return {ThreadId{thread}, OpKind::MutexLock, function, std::move(others)};
}

/// The threads and sites of a run, in its order.
std::vector<StepRecord> steps(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& order) {
    std::vector<StepRecord> all;
    for (const auto& [thread, site] : order) {
        StepRecord step;
        step.thread = ThreadId{thread};
        step.operation.kind = OpKind::MutexLock;
        step.operation.site = site;
        all.push_back(step);
    }
    return all;
}

/// How often there is noise at the point in so many runs, one decision in each.
std::size_t noises(const NoiseOptions& options, const Coverage& coverage, const NoisePoint& at,
                   std::size_t runs) {
    NoisePolicy policy(options, coverage);
    std::size_t count = 0;
    for (std::size_t run = 0; run < runs; ++run) {
        policy.start(run);
        count += policy.decide(at).kind != NoiseKind::None ? 1 : 0;
    }
    return count;
}

/// Of a count that is binomial, with one degree of freedom: above 10.83 in one of 1000 cases.
double chi_square(std::size_t count, std::size_t runs, double probability) {
    const double expected = probability * static_cast<double>(runs);
    const double difference = static_cast<double>(count) - expected;
    return difference * difference / expected +
           difference * difference / (static_cast<double>(runs) - expected);
}
constexpr double unlikely = 10.83;
constexpr std::size_t many = 20'000;

}  // namespace

TEST_SUITE("noise") {
    TEST_CASE("undirected noise comes with its probability, in every run and within a run") {
        Coverage coverage(function_of);
        const NoiseOptions options{.probability = 0.3};
        CHECK(chi_square(noises(options, coverage, point(0, "f"), many), many, 0.3) < unlikely);
        NoisePolicy policy(options, coverage);
        policy.start(0);
        std::size_t count = 0;
        for (std::size_t nth = 0; nth < many; ++nth)
            count += policy.decide(point(1, "f")).kind == NoiseKind::Sleep ? 1 : 0;
        CHECK(chi_square(count, many, 0.3) < unlikely);
    }

    TEST_CASE("all lengths of a sleep are equally likely") {
        Coverage coverage(function_of);
        NoisePolicy policy({.probability = 1, .longest = std::chrono::microseconds(10)}, coverage);
        policy.start(0);
        std::array<std::size_t, 11> seen{};
        for (std::size_t nth = 0; nth < many; ++nth) {
            const Noise noise = policy.decide(point(0, "f"));
            REQUIRE(noise.duration.count() >= 1);
            REQUIRE(noise.duration.count() <= 10);
            seen[static_cast<std::size_t>(noise.duration.count())] += 1;
        }
        double sum = 0;
        const double expected = static_cast<double>(many) / 10;
        for (std::size_t length = 1; length <= 10; ++length) {
            const double difference = static_cast<double>(seen[length]) - expected;
            sum += difference * difference / expected;
        }
        CHECK(sum < 27.88);  // nine degrees of freedom, one case in 1000
    }

    TEST_CASE("what is decided for a thread depends on seed and run, not on the other threads") {
        Coverage coverage(function_of);
        const NoiseOptions options{.seed = 5, .probability = 0.5};
        const auto decisions = [&](std::uint64_t run, bool with_another) {
            NoisePolicy policy(options, coverage);
            policy.start(run);
            std::vector<std::int64_t> all;
            for (int nth = 0; nth < 64; ++nth) {
                if (with_another) static_cast<void>(policy.decide(point(7, "g")));
                all.push_back(policy.decide(point(1, "f")).duration.count());
            }
            return all;
        };
        CHECK(decisions(0, false) == decisions(0, true));
        CHECK(decisions(0, false) != decisions(1, false));
    }

    TEST_CASE("the model of functions prefers those that were not interrupted") {
        Coverage coverage(function_of);
        const NoiseOptions options{.model = NoiseModel::Functions};
        CHECK(chi_square(noises(options, coverage, point(0, "f"), many), many, 0.5) < unlikely);
        // g runs between two operations of f.
        coverage.add(steps({{1, 1}, {2, 2}, {1, 1}}));
        CHECK(chi_square(noises(options, coverage, point(0, "f"), many), many, 0.05) < unlikely);
        CHECK(chi_square(noises(options, coverage, point(0, "g"), many), many, 0.5) < unlikely);
        // Nobody knows where.
        CHECK(chi_square(noises(options, coverage, point(0, ""), many), many, 0.2) < unlikely);
    }

    TEST_CASE("the model of pairs prefers functions that others could interrupt for the first time") {
        Coverage coverage(function_of);
        const NoiseOptions options{.model = NoiseModel::Pairs};
        const auto probability_is = [&](const NoisePoint& at, double probability) {
            return chi_square(noises(options, coverage, at, many), many, probability) < unlikely;
        };
        CHECK(probability_is(point(0, "f"), 0.05));  // there is nobody to interrupt it
        CHECK(probability_is(point(0, "f", {"g"}), 0.5));
        coverage.add(steps({{1, 1}, {2, 2}, {1, 1}}));
        // (f, g) is covered, but (g, f) and (g, g) are not.
        CHECK(probability_is(point(0, "f", {"g"}), 0.5));
        coverage.add(steps({{1, 2}, {2, 1}, {1, 2}}));
        coverage.add(steps({{1, 2}, {2, 2}, {1, 2}}));
        // Everything that starts with g is covered now.
        CHECK(probability_is(point(0, "f", {"g"}), 0.05));
        CHECK(probability_is(point(0, "f", {"g", "f"}), 0.5));  // (f, f)
        coverage.add(steps({{1, 1}, {2, 1}, {1, 1}}));
        CHECK(probability_is(point(0, "f", {"g", "f"}), 0.05));
    }

    TEST_CASE("noise is of the kind that was asked for") {
        Coverage coverage(function_of);
        for (const NoiseKind kind : {NoiseKind::Sleep, NoiseKind::Yield, NoiseKind::Priority}) {
            NoisePolicy policy({.kind = kind, .probability = 1}, coverage);
            policy.start(0);
            for (int nth = 0; nth < 100; ++nth) {
                const Noise noise = policy.decide(point(0, "f"));
                CHECK(noise.kind == kind);
                CHECK(noise.nice >= 0);
                CHECK(noise.nice <= 19);
            }
        }
    }
}
