#include "explorer/fairness.hpp"

#include <doctest/doctest.h>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {

namespace {

/// One thread waits by looking again and again until another one has set a flag.
FiberProgram polls_a_flag(bool somebody_sets_it) {
    return {[somebody_sets_it](Api& api) {
        const Mutex mutex = api.mutex("m");
        const Var flag = api.var("flag", 0);
        const ThreadId waiter = api.create([&api, mutex, flag] {
            for (;;) {
                api.at(1);
                api.lock(mutex);
                const auto seen = api.read(flag);
                api.unlock(mutex);
                if (seen != 0) {
                    return;
                }
                api.at(2);
                api.yield();
            }
        });
        const ThreadId other = api.create([&api, mutex, flag, somebody_sets_it] {
            api.lock(mutex);
            api.write(flag, somebody_sets_it ? 1 : 0);
            api.unlock(mutex);
        });
        api.join(waiter);
        api.join(other);
    }};
}

/// Far more than these programs need: a search that loses its way is noticed instead of waited for.
SearchOptions unbounded() {
    SearchOptions options;
    options.budget.schedules = 20'000;
    options.budget.steps = 500'000;
    return options;
}

SearchOptions bounded(unsigned bound) {
    SearchOptions options = unbounded();
    options.bound = bound;
    options.granularity = Granularity::Operations;
    return options;
}

}  // namespace

TEST_CASE("a loop that waits for another thread ends under every search") {
    for (const SearchOptions& options : {unbounded(), bounded(0), bounded(2)}) {
        FiberExecution execution(polls_a_flag(true));
        const SearchResult result = explore(execution, options);
        CHECK(result.findings.empty());
        CHECK(result.exhausted);
        CHECK(result.gaps.empty());
        CHECK(result.counts.complete > 0);
        CHECK(result.counts.truncated == 0);
        CHECK(result.conditions.size() == 1);
    }
}

TEST_CASE("a loop that nobody can end is a livelock where states can be compared") {
    for (const SearchOptions& options : {unbounded(), bounded(0)}) {
        FiberExecution execution(polls_a_flag(false));
        execution.compare_states_by_variables();
        SearchOptions first = options;
        first.max_findings = 1;
        const SearchResult result = explore(execution, first);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings[0].kind == FindingKind::Livelock);
        CHECK(result.findings[0].operation.kind == OpKind::Yield);
        CHECK(result.findings[0].operation.site == 2);
    }
}

TEST_CASE(
    "a loop that nobody can end is cut at the limit, and that is said, where states cannot be compared") {
    FiberExecution execution(polls_a_flag(false));
    SearchOptions options;
    options.spin_limit = 50;
    options.budget.schedules = 10;
    const SearchResult result = explore(execution, options);
    CHECK(result.findings.empty());
    CHECK(result.counts.truncated > 0);
    CHECK_FALSE(result.gaps.empty());
}

TEST_CASE("a time limit passes when all who can run only wait for it") {
    // With lazy timeouts the timed wait would never give up as long as the other thread goes on looking.
    FiberExecution execution({[](Api& api) {
        const Mutex mutex = api.mutex("m");
        const Condition never = api.condition("never");
        const Var flag = api.var("flag", 0);
        const ThreadId timed = api.create([&api, mutex, never, flag] {
            api.lock(mutex);
            api.timedwait(never, mutex);
            api.write(flag, 1);
            api.unlock(mutex);
        });
        for (bool done = false; !done;) {
            api.at(1);
            api.lock(mutex);
            done = api.read(flag) != 0;
            api.unlock(mutex);
            api.at(2);
            api.sleep();
        }
        api.join(timed);
    }});
    for (const SearchOptions& options : {unbounded(), bounded(1)}) {
        const SearchResult result = explore(execution, options);
        CHECK(result.findings.empty());
        CHECK(result.exhausted);
        CHECK(result.gaps.empty());
        CHECK(result.counts.complete > 0);
    }
}

TEST_CASE("threads that spin in turns do not starve a third one") {
    FiberExecution execution({[](Api& api) {
        const Mutex mutex = api.mutex("m");
        const Var flag = api.var("flag", 0);
        const auto wait = [&api, mutex, flag] {
            for (bool done = false; !done;) {
                api.at(1);
                api.lock(mutex);
                done = api.read(flag) != 0;
                api.unlock(mutex);
                api.at(2);
                api.yield();
            }
        };
        const ThreadId first = api.create(wait);
        const ThreadId second = api.create(wait);
        api.lock(mutex);
        api.write(flag, 1);
        api.unlock(mutex);
        api.join(first);
        api.join(second);
    }});
    for (const SearchOptions& options : {unbounded(), bounded(0), bounded(1)}) {
        const SearchResult result = explore(execution, options);
        CHECK(result.findings.empty());
        CHECK(result.gaps.empty());
        CHECK(result.exhausted);
    }
}

}  // namespace coopcheck::testing
