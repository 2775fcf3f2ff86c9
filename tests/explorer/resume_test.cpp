// A search that is stopped and gone on with, again and again, runs the schedules of one that is not.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "explorer/explore.hpp"
#include "explorer/search_file.hpp"
#include "tests/explorer/comparison.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::size_t programs_each = amount(2);
constexpr std::size_t most_schedules = 1'500;

/// Every path with its end, in the order of the search.
class Paths : public SearchListener {
  public:
    void path(const PathReport& report) override {
        std::string text = std::to_string(static_cast<int>(report.end)) + ':';
        for (const StepRecord& step : report.steps) {
            text += ' ' + std::to_string(step.thread.index()) + '/' +
                    std::to_string(static_cast<int>(step.variant.kind)) + std::to_string(step.variant.value) +
                    (step.preempting ? "!" : "");
        }
        all.push_back(std::move(text));
    }
    void start_over() override { all.clear(); }

    std::vector<std::string> all;
};

/// Keeps the last state, as a file would have it.
class InText : public SearchKeeper {
  public:
    explicit InText(const Execution& execution) : execution_(execution) {}

    [[nodiscard]] bool is_due() override { return false; }
    void keep(const SearchState& state) override {
        text = write_search({{{"program", "a test"}}, execution_.knowledge(), state});
    }

    std::string text;

  private:
    const Execution& execution_;
};

struct Searched {
    SearchResult result;
    std::vector<std::string> paths;
    std::size_t parts = 1;
};

Searched search_at_once(const Program& program, const SearchOptions& options) {
    FiberExecution execution(to_fibers(program));
    Paths paths;
    SearchResult result = explore(execution, options, &paths);
    return {std::move(result), std::move(paths.all)};
}

/// Stops after every `steps` steps and goes on with another execution.
Searched search_in_parts(const Program& program, SearchOptions options, std::size_t steps) {
    Paths paths;
    options.budget.steps = steps;
    std::string saved;
    for (std::size_t parts = 1;; ++parts) {
        FiberExecution execution(to_fibers(program));
        Continuation continuation;
        if (!saved.empty()) {
            SavedSearch search = read_search(saved);
            CHECK(search.about.at("program") == "a test");
            execution.know(search.knowledge);
            continuation.from = std::move(search.state);
        }
        InText keeper(execution);
        continuation.keeper = &keeper;
        SearchResult result = explore(execution, options, &paths, continuation);
        if (result.exhausted) return {std::move(result), std::move(paths.all), parts};
        // Stopped in a search that has to be started over: nothing to go on with, but time has passed.
        if (keeper.text.empty()) options.budget.steps *= 2;
        saved = keeper.text;
        if (saved.empty()) paths.all.clear();
    }
}

std::vector<std::string> keys(const std::vector<Finding>& findings) {
    std::vector<std::string> keys;
    keys.reserve(findings.size());
    for (const Finding& finding : findings) keys.push_back(finding.key());
    return keys;
}

void check_same(const Program& program, const SearchOptions& options, std::size_t steps,
                std::size_t& interruptions) {
    SearchOptions limited = options;
    limited.budget.schedules = most_schedules;
    const Searched whole = search_at_once(program, limited);
    if (!whole.result.exhausted) return;
    const Searched parts = search_in_parts(program, options, steps);
    interruptions += parts.parts - 1;
    CHECK(parts.paths == whole.paths);
    CHECK(keys(parts.result.findings) == keys(whole.result.findings));
    CHECK(keys(parts.result.predicted) == keys(whole.result.predicted));
    CHECK(parts.result.counts.steps == whole.result.counts.steps);
    const auto text_of = [](const std::vector<std::size_t>& numbers) {
        std::string text;
        for (const std::size_t number : numbers) text += std::to_string(number) + ' ';
        return text;
    };
    CHECK(text_of(parts.result.paths_at_bound) == text_of(whole.result.paths_at_bound));
    CHECK(parts.result.claim() == whole.result.claim());
}

}  // namespace

TEST_SUITE("resume") {
    TEST_CASE("a search in parts runs the schedules of one that is not stopped, in the same order") {
        std::size_t interruptions = 0;
        for (const Shape& family : families()) {
            Shape shape = family;
            shape.max_threads = std::min(shape.max_threads, 3);
            shape.total_operations = 14;
            for (std::uint64_t seed = 500; seed < 500 + programs_each; ++seed) {
                const Program program = generate(seed, shape);
                for (const SearchKind& kind : search_kinds()) {
                    CAPTURE(shape.name);
                    CAPTURE(seed);
                    CAPTURE(kind.name);
                    check_same(program, kind.options, 20 + 37 * (seed % 5), interruptions);
                }
            }
        }
        CHECK(interruptions > amount(5'000));
    }

    TEST_CASE("a saved search with one character changed is refused") {
        const Program program = generate(500, families().front());
        FiberExecution execution(to_fibers(program));
        InText keeper(execution);
        SearchOptions options;
        options.budget.steps = 100;
        CHECK_FALSE(
            explore(execution, options, nullptr, {.from = std::nullopt, .keeper = &keeper}).exhausted);
        REQUIRE_FALSE(keeper.text.empty());
        CHECK(read_search(keeper.text).state.stack.size() > 1);
        for (std::size_t place = 0; place < keeper.text.size(); ++place) {
            std::string damaged = keeper.text;
            damaged[place] = damaged[place] == '7' ? '8' : '7';
            CHECK_THROWS_AS(static_cast<void>(read_search(damaged)), Error);
            CHECK_THROWS_AS(static_cast<void>(read_search(keeper.text.substr(0, place))), Error);
        }
    }

    TEST_CASE("a search gone on with on another program is refused") {
        const Program program = generate(500, families().front());
        FiberExecution execution(to_fibers(program));
        InText keeper(execution);
        SearchOptions options;
        options.budget.steps = 100;
        static_cast<void>(explore(execution, options, nullptr, {.from = std::nullopt, .keeper = &keeper}));
        SavedSearch saved = read_search(keeper.text);
        FiberExecution other(to_fibers(generate(501, families().front())));
        other.know(saved.knowledge);
        CHECK_THROWS_AS(static_cast<void>(explore(other, SearchOptions{}, nullptr,
                                                  {.from = saved.state, .keeper = nullptr})),
                        Error);
    }
}

}  // namespace coopcheck::testing
