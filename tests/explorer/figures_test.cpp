// The trees of the ExitBlock paper (Bruening and Chapin), worked out by hand from its pseudocode and
// captions.
//
// A path is written as the numbers of the code sections in the order in which they run. Sections that contain
// no operation (8 in figure 2, 8 in figure 10) are not written: they belong to the block of the next one. A
// thread's start stands for its first section and its exit for its last.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

#include "explorer/explore.hpp"
#include "tests/explorer/recorded_paths.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

using Paths = std::set<std::string>;

/// Both threads exist when the search begins, as in the figures: main makes them in one block.
FiberProgram two_threads(std::function<void(Api&)> first, std::function<void(Api&)> second) {
    return {[=](Api& api) {
        api.trusted([&] {
            api.create([&api, first] { first(api); });
            api.create([&api, second] { second(api); });
        });
    }};
}

/// Section 1 to 5: lock a around lock b, as in figures 2, 8 and 10.
void a_around_b(Api& api) {
    const Mutex a = api.mutex("a");
    const Mutex b = api.mutex("b");
    api.at(2);
    api.lock(a);
    api.write(api.var("x"), 1);
    api.at(3);
    api.lock(b);
    api.unlock(b);
    api.at(4);
    api.unlock(a);
    api.at(5);
}

FiberProgram figure_2() {
    return two_threads(a_around_b, [](Api& api) {
        const Mutex a = api.mutex("a");
        const Mutex b = api.mutex("b");
        api.at(7);
        api.lock(a);
        api.write(api.var("x"), 2);  // the only data in common: sections 2 and 7
        api.unlock(a);
        api.at(9);
        api.lock(b);
        api.unlock(b);
        api.at(10);
    });
}

FiberProgram figure_8() {
    return two_threads(a_around_b, [](Api& api) {
        const Mutex a = api.mutex("a");
        const Mutex b = api.mutex("b");
        api.at(7);
        api.lock(b);
        api.at(8);
        api.lock(a);
        api.unlock(a);
        api.at(9);
        api.unlock(b);
        api.at(10);
    });
}

FiberProgram figure_10() {
    return two_threads(a_around_b, [](Api& api) {
        const Mutex a = api.mutex("a");
        const Mutex b = api.mutex("b");
        api.at(7);
        api.lock(a);
        api.unlock(a);
        api.at(9);
        api.lock(b);
        api.at(10);
        api.lock(a);
        api.unlock(a);
        api.at(11);
        api.unlock(b);
        api.at(12);
    });
}

/// The paper's own algorithms: no refinement, deadlocks of nested locks predicted.
SearchOptions as_in_the_paper(Pruning pruning, FootprintSource footprints) {
    SearchOptions options;
    options.pruning = pruning;
    options.footprints = footprints;
    options.nested_locks = NestedLocks::Predict;
    return options;
}

}  // namespace

TEST_SUITE("figures") {
    TEST_CASE("ExitBlock explores the tree of figure 4") {
        FiberExecution execution(figure_2());
        RecordedPaths paths;
        const SearchResult result =
            explore(execution, as_in_the_paper(Pruning::None, FootprintSource::Locks), &paths);
        CHECK(paths.complete ==
              Paths{"2 3 4 5 7 9 10", "7 9 10 2 3 4 5", "7 2 3 4 5 9 10", "7 2 3 9 10 4 5"});
        CHECK(paths.in_order.size() == 4);
        CHECK(paths.in_order.back() == "7 2 3 9 10 4 5");  // "the rightmost branch"
        CHECK(paths.abandoned == Paths{"2 3"});            // the X: T2 cannot take a
        CHECK(result.counts.abandoned == 1);
        CHECK(paths.redundant.empty());
        CHECK(result.findings.empty());
        CHECK(result.counts.predictions == 0);
    }

    TEST_CASE("ExitBlock-RW explores the tree of figure 7") {
        FiberExecution execution(figure_2());
        RecordedPaths paths;
        const SearchResult result =
            explore(execution, as_in_the_paper(Pruning::ReadWrite, FootprintSource::PlainData), &paths);
        CHECK(paths.complete == Paths{"2 3 4 5 7 9 10", "7 9 10 2 3 4 5"});
        CHECK(paths.redundant == Paths{"7 2 3 4 5"});  // "does not bother finishing the schedule"
        CHECK(paths.abandoned == Paths{"2 3"});
        CHECK(result.counts.paths() == 3);
        CHECK(result.findings.empty());
    }

    TEST_CASE("ExitBlock-DD finds the deadlock of figure 8 twice, in the tree of figure 9") {
        FiberExecution execution(figure_8());
        RecordedPaths paths;
        const SearchResult result =
            explore(execution, as_in_the_paper(Pruning::None, FootprintSource::Locks), &paths);
        CHECK(paths.complete == Paths{"2 3 4 5 7 8 9 10", "7 8 9 10 2 3 4 5"});
        CHECK(paths.abandoned == Paths{"2 3 7", "7 8 2"});
        CHECK(result.counts.abandoned == 2);
        CHECK(result.counts.predictions == 2);
        REQUIRE(result.findings.size() == 1);
        const Finding& deadlock = result.findings.front();
        CHECK(deadlock.kind == FindingKind::Deadlock);
        CHECK(deadlock.is_cycle);
        CHECK(deadlock.confirmed);
        CHECK(deadlock.waits.size() == 2);
        CHECK(deadlock.preemptions == 1);
        CHECK(result.predicted.empty());
    }

    TEST_CASE(
        "ExitBlock-DD explores the left tree of figure 11 and finds the deadlock of figure 10 in two "
        "places") {
        FiberExecution execution(figure_10());
        RecordedPaths paths;
        const SearchResult result =
            explore(execution, as_in_the_paper(Pruning::None, FootprintSource::Locks), &paths);
        CHECK(paths.complete ==
              Paths{"2 3 4 5 7 9 10 11 12", "7 2 3 4 5 9 10 11 12", "7 9 10 11 12 2 3 4 5"});
        CHECK(paths.abandoned == Paths{"2 3", "7 2 3 9", "7 9 10 2"});
        CHECK(result.counts.abandoned == 3);
        CHECK(result.counts.predictions == 2);
        CHECK(result.findings.size() == 1);
    }

    TEST_CASE(
        "ExitBlock-RWDD with data footprints explores the right tree of figure 11 and misses the deadlock") {
        FiberExecution execution(figure_10());
        RecordedPaths paths;
        const SearchResult result =
            explore(execution, as_in_the_paper(Pruning::ReadWrite, FootprintSource::PlainData), &paths);
        CHECK(paths.complete == Paths{"2 3 4 5 7 9 10 11 12"});
        CHECK(paths.redundant == Paths{"7 9 10 11 12"});
        CHECK(paths.abandoned == Paths{"2 3"});
        CHECK(result.counts.predictions == 0);
        CHECK(result.findings.empty());
        CHECK_FALSE(result.gaps.empty());  // and it does not claim otherwise
    }

    TEST_CASE("ExitBlock-RWDD finds the deadlock of figure 10 again when acquires count as writes") {
        FiberExecution execution(figure_10());
        const SearchResult result =
            explore(execution, as_in_the_paper(Pruning::ReadWrite, FootprintSource::Locks));
        CHECK(result.counts.predictions == 2);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().confirmed);
    }

    TEST_CASE("SplitSync's violation is reported on the third schedule") {
        const auto increment = [](Api& api) {
            const Mutex resource = api.mutex("resource");
            const Var x = api.var("x");
            api.lock(resource);
            const auto y = api.read(x);
            api.unlock(resource);
            api.lock(resource);
            api.check(api.read(x) == y, "resource.x == y");
            api.write(x, y + 1);
            api.unlock(resource);
        };
        const FiberProgram split_sync{[=](Api& api) {
            api.create([&api, increment] { increment(api); });
            api.create([&api, increment] { increment(api); });
        }};
        // Schedule 1: T1, main, T2. Schedule 2: main creates T2 between the regions of T1. Schedule 3: T2
        // runs there. By their data the second is the first again (creating T2 conflicts with no region), so
        // -RW has it second.
        const auto schedules_until_found = [&](Pruning pruning) {
            FiberExecution execution(split_sync);
            SearchOptions options = as_in_the_paper(pruning, FootprintSource::PlainData);
            options.max_findings = 1;
            const SearchResult result = explore(execution, options);
            REQUIRE(result.findings.size() == 1);
            CHECK(result.findings.front().kind == FindingKind::Assertion);
            CHECK(result.findings.front().message == "resource.x == y");
            CHECK(result.counts.redundant == 0);
            return result.counts.complete;
        };
        CHECK(schedules_until_found(Pruning::None) == 3);
        CHECK(schedules_until_found(Pruning::ReadWrite) == 2);
    }
}

}  // namespace coopcheck::testing
