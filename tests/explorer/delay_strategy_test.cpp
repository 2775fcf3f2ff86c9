// One delay in a schedule of threads that take turns.
#include "explorer/delay_strategy.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "explorer/sample.hpp"
#include "tests/explorer/sampling_support.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

/// The places in the code below.
enum Site : std::uint64_t { creating = 1, down, waiting, leaving, working, up, risen, looking, done };

/// A semaphore made of a monitor for one thread less than there are. Going up and looking whether anybody has
/// to be woken are two critical sections: two threads can both go up before either looks.
FiberProgram broken_semaphore(int threads) {
    return {[threads](Api& api) {
        const Mutex mutex = api.mutex("mutex");
        const Condition condition = api.condition("condition");
        const Var value = api.var("value", threads - 1);
        const auto body = [&api, mutex, condition, value] {
            api.at(down);
            api.lock(mutex);
            api.at(waiting);
            while (api.read(value) == 0) api.wait(condition, mutex);
            api.write(value, api.read(value) - 1);
            api.at(leaving);
            api.unlock(mutex);
            api.at(working);
            api.sleep();
            api.at(up);
            api.lock(mutex);
            api.write(value, api.read(value) + 1);
            api.at(risen);
            api.unlock(mutex);
            api.at(looking);
            api.lock(mutex);
            if (api.read(value) == 1) api.signal(condition);
            api.at(done);
            api.unlock(mutex);
        };
        api.at(creating);
        for (int i = 0; i < threads; ++i) api.create(body);
    }};
}

SampleResult delay(FiberProgram program, std::size_t max_findings, SearchListener* listener = nullptr) {
    FiberExecution execution(std::move(program));
    DelayStrategy strategy;
    return sample(execution, strategy, {.max_findings = max_findings}, listener);
}

}  // namespace

TEST_SUITE("delays") {
    TEST_CASE("one delay finds a bug of one place in the code, whatever the number of threads") {
        std::set<std::size_t> schedules;
        for (const int threads : {3, 8, 32}) {
            CAPTURE(threads);
            const SampleResult result = delay(broken_semaphore(threads), 1);
            REQUIRE(result.findings.size() == 1);
            CHECK(result.findings.front().kind == FindingKind::Deadlock);
            CHECK(result.findings.front().preemptions == 1);
            // The first run, and one for each place at most.
            CHECK(result.schedules() <= 1 + done);
            schedules.insert(result.schedules());
        }
        CHECK(schedules.size() == 1);
    }

    TEST_CASE("there is a run for each place at which a thread can be interrupted, and none is run twice") {
        Orders orders;
        const SampleResult result = delay(posting_threads({"xx", "x"}), 1'000, &orders);
        // Main before its second creation and before its end; the first thread before each of its two
        // operations and before its end. The second thread is alone then.
        CHECK(result.schedules() == 1 + 2 + 3);
        CHECK(result.distinct_schedules == result.schedules());
        REQUIRE(!orders.in_order.empty());
        CHECK(orders.in_order.front() == "101 102 201");
        CHECK(orders.counts.contains("101 201 102"));
        CHECK(orders.counts.contains("201 101 102"));
        CHECK(result.stop == "the strategy has no more");
    }
}

}  // namespace coopcheck::testing
