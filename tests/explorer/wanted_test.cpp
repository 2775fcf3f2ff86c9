// Searching for one finding, and recognizing it.
#include "explorer/wanted.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

/// main signals a waiter whose mutex is held by a thread that joins it, and exits. The joiner starts when the
/// waiter has the mutex, so the waiter never fails to take it before its wait.
const FiberProgram signalled_into_a_cycle{[](Api& api) {
    const Mutex m = api.mutex("m");
    const Condition c = api.condition("c");
    const Semaphore locked = api.semaphore("locked");
    const ThreadId waiter = api.create([&api, m, c, locked] {
        api.lock(m);
        api.sem_post(locked);
        api.wait(c, m);
        api.unlock(m);
    });
    api.create([&api, m, waiter, locked] {
        api.sem_wait(locked);
        api.lock(m);
        api.join(waiter);
        api.unlock(m);
    });
    api.signal(c);
    api.exit(0);
}};

}  // namespace

TEST_SUITE("wanted") {
    TEST_CASE(
        "a cycle that a third thread closes by a signal needs one preemption, though the process then ends") {
        // main is preempted after both threads exist; they wait for the signal and for each other. Then main
        // signals: now the waiter wants the mutex of the one that joins it.
        FiberExecution execution(signalled_into_a_cycle);
        SearchOptions options;
        options.granularity = Granularity::Operations;
        options.bound = 1;
        const SearchResult result = explore(execution, options);
        CHECK(result.exhausted);
        const auto cycle = std::find_if(result.findings.begin(), result.findings.end(),
                                        [](const Finding& finding) { return finding.is_cycle; });
        REQUIRE(cycle != result.findings.end());
        CHECK(cycle->waits.size() == 2);
        CHECK(cycle->preemptions == 1);

        options.wanted = *cycle;
        const SearchResult again = explore(execution, options);
        REQUIRE(again.wanted);
        CHECK(again.wanted->key() == cycle->key());
        CHECK(again.wanted->preemptions == 1);
        CHECK(again.proved_bound == 0U);
    }

    TEST_CASE("a search for one finding passes others by and stops there, with the bounds below it proved") {
        // The deadlock needs no preemption, the lost update of SplitSync needs one.
        const FiberProgram program{[](Api& api) {
            const Mutex m = api.mutex("m");
            const Condition c = api.condition("c");
            const Var x = api.var("x");
            const auto increment = [&api, m, x] {
                api.lock(m);
                const std::int64_t y = api.read(x);
                api.unlock(m);
                api.lock(m);
                api.check(api.read(x) == y, "x == y");
                api.write(x, y + 1);
                api.unlock(m);
            };
            api.create(increment);
            api.create(increment);
            api.lock(m);
            api.wait(c, m);
        }};
        FiberExecution execution(program);
        SearchOptions options;
        options.granularity = Granularity::Operations;
        options.bound = 3;
        const SearchResult all = explore(execution, options);
        const auto failure =
            std::find_if(all.findings.begin(), all.findings.end(), [](const Finding& finding) {
                return finding.kind == FindingKind::Assertion && finding.thread == ThreadId{1};
            });
        REQUIRE(failure != all.findings.end());
        CHECK(failure->preemptions == 1);
        CHECK_FALSE(all.wanted);

        options.wanted = *failure;
        const SearchResult one = explore(execution, options);
        REQUIRE(one.wanted);
        CHECK(one.wanted->key() == failure->key());
        CHECK(one.wanted->preemptions == 1);
        CHECK(one.findings.size() >= 2);
        CHECK_FALSE(one.exhausted);
        CHECK(one.proved_bound == 0U);
        CHECK(one.gaps == std::vector<std::string>{"stopped at the finding that was looked for"});
        CHECK(one.counts.paths() < all.counts.paths());
    }

    TEST_CASE("a search that is told to stop says so and claims nothing but the bounds it has finished") {
        FiberExecution execution(signalled_into_a_cycle);
        SearchOptions options;
        options.granularity = Granularity::Operations;
        options.bound = 2;
        int asked = 0;
        options.budget.interruption = [&]() -> std::optional<std::string> {
            ++asked;
            return std::nullopt;
        };
        const SearchResult whole = explore(execution, options);
        CHECK(whole.exhausted);
        CHECK(whole.proved_bound == 2U);
        std::optional<unsigned> proved;
        for (int moment = 0; moment < asked; ++moment) {
            int left = moment;
            options.budget.interruption = [&] {
                return left-- <= 0 ? std::optional<std::string>{"enough"} : std::nullopt;
            };
            const SearchResult part = explore(execution, options);
            CHECK_FALSE(part.exhausted);
            CHECK(part.gaps == std::vector<std::string>{"enough"});
            CHECK(part.proved_bound == part.finished_bound);
            CHECK(part.proved_bound >= proved);  // nothing is less than 0
            proved = part.proved_bound;
        }
        CHECK(proved == 1U);
    }

    TEST_CASE("threads stuck in the same operations are another finding if other threads can go on") {
        // One thread takes a lock and ends without giving it back, the other wants it; main runs on or joins.
        const FiberProgram program{[](Api& api) {
            const Semaphore s = api.semaphore("s");
            const ThreadId child = api.create([&api, s] { api.sem_wait(s); });
            api.yield();
            api.join(child);
        }};
        FiberExecution execution(program);
        execution.restart();
        const ThreadId child{1};
        Finding stuck;
        stuck.kind = FindingKind::Deadlock;
        Operation waits;
        waits.kind = OpKind::SemWait;
        waits.object = ObjectId{0};
        Operation joins;
        joins.kind = OpKind::ThreadJoin;
        joins.thread = child;
        stuck.waits = {{main_thread, joins, {}}, {child, waits, {}}};
        const Wanted wanted(stuck);
        CHECK_FALSE(wanted.in_state(execution));
        execution.step(main_thread, Variant::normal());  // create
        execution.step(child, Variant::normal());        // start: it waits now
        CHECK_FALSE(wanted.in_state(execution));         // main can still yield
        execution.step(main_thread, Variant::normal());
        const std::optional<Finding> found = wanted.in_state(execution);
        REQUIRE(found);
        CHECK(found->key() == stuck.key());
        CHECK_FALSE(found->is_cycle);
    }
}

}  // namespace coopcheck::testing
