// A search that is cut into parts, at any moments, which are explored separately: the schedules of one
// search, none twice, and the same answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explorer/explore.hpp"
#include "explorer/shared_search.hpp"
#include "tests/explorer/comparison.hpp"
#include "tests/explorer/fiber_workers.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::size_t programs_each = amount(3);
constexpr std::size_t most_schedules = 1'000;

std::string path_text(const PathReport& report) {
    const ThreadNames& names = report.execution.names().threads;
    std::string text = std::to_string(static_cast<int>(report.end)) + ':';
    for (const StepRecord& step : report.steps) {
        text += ' ' + names.name(step.thread) + '/' + std::to_string(static_cast<int>(step.variant.kind)) +
                std::to_string(step.variant.value) +
                (step.variant.thread.valid() ? names.name(step.variant.thread) : "") +
                (step.preempting ? "!" : "");
    }
    return text;
}

class Paths : public SearchListener {
  public:
    void path(const PathReport& report) override { all.push_back(path_text(report)); }
    void start_over() override { all.clear(); }
    [[nodiscard]] std::vector<std::string> sorted() const {
        std::vector<std::string> paths = all;
        std::sort(paths.begin(), paths.end());
        return paths;
    }

    std::vector<std::string> all;
};

class InMemory : public SearchKeeper {
  public:
    [[nodiscard]] bool is_due() override { return false; }
    void keep(const SearchState& state) override { kept = state; }
    std::optional<SearchState> kept;
};

struct Searched {
    SearchResult result;
    Paths paths;
    std::string findings;
};

/// With their schedules, in names.
std::string findings_text(const std::vector<Finding>& findings, const Names& names) {
    std::multiset<std::string> texts;
    for (const Finding& finding : findings) {
        std::string text = std::to_string(static_cast<int>(finding.kind)) + " " + finding.message + " " +
                           std::to_string(finding.preemptions) + ":";
        for (const Choice& choice : finding.schedule) text += " " + names.threads.name(choice.thread);
        texts.insert(text);
    }
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    return all;
}

Searched search_alone(const Program& program, const SearchOptions& options) {
    FiberExecution execution(to_fibers(program));
    Searched searched;
    searched.result = explore(execution, options, &searched.paths);
    searched.findings = findings_text(searched.result.findings, execution.names());
    return searched;
}

struct Totals {
    std::size_t searches = 0;
    std::size_t cuts = 0;
    std::size_t starts = 0;
};

/// Some steps alone, the rest in parts.
Searched search_together(const Program& program, const SearchOptions& options, std::uint64_t seed,
                         Totals& totals) {
    FiberExecution execution(to_fibers(program));
    Searched searched;
    Random random(seed);
    SearchOptions alone = options;
    alone.budget.steps = static_cast<std::size_t>(random.between(1, 30));
    InMemory keeper;
    searched.result = explore(execution, alone, &searched.paths, {.from = std::nullopt, .keeper = &keeper});
    const bool has_enough = searched.result.findings.size() >= options.max_findings;
    if (!searched.result.exhausted && !has_enough) {
        if (!keeper.kept) searched.paths.all.clear();
        FiberWorkers workers(program, options, &searched.paths, random.next());
        searched.result = explore_together(execution, options, &searched.paths, workers,
                                           keeper.kept ? *keeper.kept : state_at_start({}));
        totals.searches += 1;
        totals.cuts += workers.cuts;
        totals.starts += workers.starts;
    }
    searched.findings = findings_text(searched.result.findings, execution.names());
    return searched;
}

std::size_t count_keys(const std::vector<Finding>& findings) {
    std::set<std::string> keys;
    for (const Finding& finding : findings) keys.insert(finding.key());
    return keys.size();
}

template <typename Check>
void for_random_searches(Check check) {
    for (const Shape& family : families()) {
        Shape shape = family;
        shape.max_threads = std::min(shape.max_threads, 3);
        shape.total_operations = 14;
        for (std::uint64_t seed = 700; seed < 700 + programs_each; ++seed) {
            const Program program = generate(seed, shape);
            for (const SearchKind& kind : search_kinds()) {
                // Which schedule of a class is run is open.
                if (kind.options.reduction != Reduction::Blocks) continue;
                CAPTURE(shape.name);
                CAPTURE(seed);
                CAPTURE(kind.name);
                check(program, kind.options, seed);
            }
        }
    }
}

}  // namespace

TEST_SUITE("together") {
    TEST_CASE("a search by source sets in parts, told and given at any moments, runs each class once") {
        std::size_t cuts = 0;
        std::size_t classes = 0;
        SearchOptions options;
        options.reduction = Reduction::Source;
        for (const Shape& family : families()) {
            Shape shape = family;
            shape.max_threads = std::min(shape.max_threads, 3);
            shape.total_operations = 12;
            for (std::uint64_t seed = 900; seed < 900 + amount(10); ++seed) {
                const Program program = generate(seed, shape);
                options.budget.schedules = most_schedules;
                const Searched whole = search_alone(program, options);
                if (!whole.result.exhausted || whole.result.refinements > 0) continue;
                options.budget = {};
                CAPTURE(shape.name);
                CAPTURE(seed);
                ClassesOfPaths alone(program);
                FiberExecution execution(to_fibers(program));
                static_cast<void>(explore(execution, options, &alone));
                for (std::uint64_t time = 0; time < 3; ++time) {
                    ClassesOfPaths together(program);
                    FiberWorkers workers(program, options, &together, seed * 10 + time);
                    const SearchResult parts =
                        explore_together(execution, options, &together, workers, state_at_start({}));
                    cuts += workers.cuts;
                    classes += together.all.size();
                    CHECK(parts.exhausted);
                    CHECK(count_keys(parts.findings) == count_keys(whole.result.findings));
                    CHECK(together.all == alone.all);
                }
            }
        }
        CHECK((looks_at_few || cuts > 2'000));
        CHECK(classes > amount(5'000));
    }

    TEST_CASE("a search cut into parts at any moments runs the schedules of one search, none of them twice") {
        Totals totals;
        for_random_searches([&](const Program& program, SearchOptions options, std::uint64_t seed) {
            options.budget.schedules = most_schedules;
            const Searched whole = search_alone(program, options);
            if (!whole.result.exhausted) return;
            options.budget = {};
            for (std::uint64_t time = 0; time < 3; ++time) {
                const Searched parts = search_together(program, options, seed * 10 + time, totals);
                CHECK(parts.paths.sorted() == whole.paths.sorted());
                CHECK(parts.findings == whole.findings);
                CHECK(count_keys(parts.result.predicted) == count_keys(whole.result.predicted));
                CHECK(parts.result.exhausted);
                CHECK(parts.result.counts.steps == whole.result.counts.steps);
                CHECK(parts.result.paths_at_bound == whole.result.paths_at_bound);
                CHECK(parts.result.bound_left_nothing == whole.result.bound_left_nothing);
                CHECK(parts.result.claim() == whole.result.claim());
            }
        });
        CHECK(totals.searches > amount(300));
        CHECK(totals.cuts > amount(3'000));
        CHECK(totals.starts > totals.searches);
    }

    TEST_CASE("whoever finds something first, what one search would have found first is reported") {
        Totals totals;
        std::size_t with_finding = 0;
        for_random_searches([&](const Program& program, SearchOptions options, std::uint64_t seed) {
            options.max_findings = 1;
            options.budget.schedules = most_schedules;
            const Searched whole = search_alone(program, options);
            if (whole.result.findings.empty()) return;
            options.budget = {};
            for (std::uint64_t time = 0; time < 3; ++time) {
                const Searched parts = search_together(program, options, seed * 10 + time, totals);
                with_finding += 1;
                CHECK(parts.findings == whole.findings);
                CHECK(parts.result.claim() == whole.result.claim());
            }
        });
        CHECK(with_finding > amount(300));
        CHECK(totals.cuts > amount(50));
    }
}

}  // namespace coopcheck::testing
