// A search for classes within a bound that is cut into parts, at any moments: what one search finds, within
// the same bounds, and no class twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "explorer/shared_search.hpp"
#include "tests/explorer/comparison.hpp"
#include "tests/explorer/fiber_workers.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::size_t programs_each = amount(12);
constexpr std::uint64_t times_each = 3;
constexpr std::size_t most_schedules = 1'000;

SearchKind bounded_classes(unsigned bound) {
    const std::vector<SearchKind>& kinds = search_kinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [](const SearchKind& kind) {
        return kind.options.bound && kind.options.reduction != Reduction::Blocks;
    });
    SearchKind kind = *found;
    kind.options.bound = bound;
    return kind;
}

class InMemory : public SearchKeeper {
  public:
    [[nodiscard]] bool is_due() override { return false; }
    void keep(const SearchState& state) override { kept = state; }
    std::optional<SearchState> kept;
};

struct Totals {
    std::size_t cuts = 0;
    std::size_t starts = 0;
};

/// Some steps alone, the rest in parts.
Searching together(const Program& program, const ModelOptions& model, std::uint64_t seed, Totals& totals) {
    return [&program, model, seed, &totals](Execution& execution, const SearchOptions& options,
                                            SearchListener* listener) {
        Random random(seed);
        SearchOptions whole = options;
        whole.budget = {};
        SearchOptions alone = whole;
        alone.recorded_beginnings = 0;  // what is to be shared is never gone through on record
        alone.budget.steps = static_cast<std::size_t>(random.between(1, 20));
        InMemory keeper;
        SearchResult result = explore(execution, alone, listener, {.from = std::nullopt, .keeper = &keeper});
        if (result.exhausted || result.findings.size() >= options.max_findings) return result;
        if (!keeper.kept && listener != nullptr) listener->start_over();
        FiberWorkers workers(program, whole, listener, random.next(), model);
        Assumptions known;
        known.know_racy(options.visible);
        result = explore_together(execution, whole, listener, workers,
                                  keeper.kept ? *keeper.kept : state_at_start(known));
        totals.cuts += workers.cuts;
        totals.starts += workers.starts;
        return result;
    };
}

template <typename Check>
void for_random_programs(std::uint64_t first, Check check) {
    for (const Shape& family : families()) {
        Shape shape = family;
        shape.max_threads = std::min(shape.max_threads, 3);
        shape.total_operations = 12;
        for (std::uint64_t seed = first; seed < first + programs_each; ++seed) {
            const Program program = generate(seed, shape);
            for (const bool explore_timeouts : {false, true}) {
                if (explore_timeouts && shape.name.find("time") == std::string::npos) continue;
                CAPTURE(shape.name);
                CAPTURE(seed);
                CAPTURE(explore_timeouts);
                check(program, ModelOptions{.explore_timeouts = explore_timeouts, .spurious_wakeups = 0},
                      seed);
            }
        }
    }
}

std::map<std::string, unsigned> preemptions_of(const SearchResult& result) {
    std::map<std::string, unsigned> all;
    for (const Finding& finding : result.findings) all.emplace(finding.key(), finding.preemptions);
    return all;
}

}  // namespace

TEST_SUITE("class bounds together") {
    TEST_CASE("in parts every outcome of random programs is found within the bound that it needs") {
        Totals totals;
        std::size_t compared = 0;
        for_random_programs(40'000, [&](const Program& program, ModelOptions model, std::uint64_t seed) {
            const SearchKind kind = bounded_classes(3);
            const SearchOutcomes alone = search(program, model, kind.options);
            const std::optional<Expected> expected =
                alone.result.exhausted ? expect(program, model) : std::nullopt;
            if (!expected) return;
            for (std::uint64_t time = 0; time < times_each; ++time) {
                CAPTURE(time);
                bool cut = false;
                const Searching searching = together(program, model, seed * 10 + time, totals);
                CHECK(mismatch(program, model, kind, *expected, cut, searching).value_or("") == "");
                compared += cut ? 0 : 1;
            }
        });
        CHECK(compared > amount(500));
        CHECK(totals.cuts > amount(2'000));
        CHECK(totals.starts > compared);  // some had to begin again
    }

    TEST_CASE("in parts no class is run twice, and the claim is that of one search") {
        Totals totals;
        std::size_t classes = 0;
        std::size_t schedules_alone = 0;
        std::size_t schedules_together = 0;
        std::size_t searches = 0;
        std::size_t left_otherwise = 0;
        for_random_programs(50'000, [&](const Program& program, ModelOptions model, std::uint64_t seed) {
            FiberExecution execution(to_fibers(program), model);
            execution.restart();
            SearchOptions options = bounded_classes(static_cast<unsigned>(seed % 4)).options;
            options.visible = execution.variables();
            options.budget.schedules = most_schedules;
            options.recorded_beginnings = 0;
            const SearchResult alone = explore(execution, options);
            if (!alone.exhausted) return;
            for (std::uint64_t time = 0; time < times_each; ++time) {
                CAPTURE(time);
                ClassesOfPaths all(program, model, options.visible);
                const SearchResult parts =
                    together(program, model, seed * 10 + time, totals)(execution, options, &all);
                CHECK(parts.exhausted);
                CHECK(preemptions_of(parts) == preemptions_of(alone));
                CHECK(parts.proved_bound.has_value() == alone.proved_bound.has_value());
                CHECK(std::set<std::string>(all.all.begin(), all.all.end()).size() == all.all.size());
                classes += all.all.size();
                schedules_alone += alone.counts.paths();
                schedules_together += parts.counts.paths();
                searches += 1;
                left_otherwise += parts.bound_left_nothing != alone.bound_left_nothing ? 1 : 0;
            }
        });
        CHECK(totals.cuts > amount(500));
        CHECK(classes > amount(5'000));
        // What is asked for depends on who is quicker, but not much.
        CHECK(schedules_together * 100 < schedules_alone * 102);
        CHECK(left_otherwise * 100 < searches);
    }
}

}  // namespace coopcheck::testing
