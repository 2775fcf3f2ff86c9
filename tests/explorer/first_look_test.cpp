// A look at programs that have too many schedules.
#include "explorer/first_look.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "explorer/lock_order_cycles.hpp"
#include "explorer/random_strategy.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

/// Threads that each take the locks with these names, in this order, and give them back.
FiberProgram takers(const std::vector<std::vector<std::string>>& orders) {
    return {[orders](Api& api) {
        for (const std::vector<std::string>& order : orders) {
            api.create([&api, order] {
                std::vector<Mutex> taken;
                for (const std::string& name : order) {
                    taken.push_back(api.mutex(name));
                    api.lock(taken.back());
                }
                while (!taken.empty()) {
                    api.unlock(taken.back());
                    taken.pop_back();
                }
            });
        }
    }};
}

/// Each takes its own lock and its neighbour's.
FiberProgram philosophers(int count) {
    std::vector<std::vector<std::string>> orders;
    orders.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        orders.push_back({"m" + std::to_string(i), "m" + std::to_string((i + 1) % count)});
    }
    return takers(orders);
}

/// Runs threads one after the other, as they were created.
class InOrder : public Strategy {
  public:
    [[nodiscard]] std::string name() const override { return "in order"; }
    void begin_run(std::size_t /*run*/) override {}
    Choice choose(const Turn& turn) override {
        for (const Candidate& candidate : turn.candidates) {
            if (candidate.thread == turn.last) return {candidate.thread, candidate.variants.front()};
        }
        return {turn.candidates.front().thread, turn.candidates.front().variants.front()};
    }
};

/// Of one schedule, in which nobody is interrupted.
SampleResult look_at(FiberProgram program) {
    FiberExecution execution(std::move(program));
    InOrder strategy;
    return look_first(execution, strategy, {.budget = {.schedules = 1}, .max_findings = 1});
}

}  // namespace

TEST_SUITE("first look") {
    TEST_CASE("one schedule without an interruption is enough to find a cycle of locks of any length") {
        for (const int count : {2, 3, 8, 32}) {
            CAPTURE(count);
            const SampleResult result = look_at(philosophers(count));
            REQUIRE(result.findings.size() == 1);
            CHECK(result.findings.front().kind == FindingKind::Deadlock);
            CHECK(result.findings.front().is_cycle);
            CHECK(result.findings.front().waits.size() == static_cast<std::size_t>(count));
            CHECK(result.has_enough);
            CHECK(result.schedules() == 1);
        }
    }

    TEST_CASE("locks that are always taken in the same order suggest nothing") {
        CHECK(look_at(takers({{"a", "b"}, {"b", "c"}, {"a", "c"}})).findings.empty());
    }

    TEST_CASE("threads that hold a lock in common cannot wait for each other") {
        CHECK(look_at(takers({{"gate", "a", "b"}, {"gate", "b", "a"}})).findings.empty());
        // The gate of the one is not the gate of the other.
        CHECK(look_at(takers({{"gate", "a", "b"}, {"door", "b", "a"}})).findings.size() == 1);
    }

    TEST_CASE("one thread alone does not make a cycle") {
        FiberProgram program{[](Api& api) {
            api.create([&api] {
                const Mutex a = api.mutex("a");
                const Mutex b = api.mutex("b");
                for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
                    api.lock(first);
                    api.lock(second);
                    api.unlock(second);
                    api.unlock(first);
                }
            });
        }};
        CHECK(look_at(std::move(program)).findings.empty());
    }

    TEST_CASE("what is suggested and cannot happen is not found") {
        // The second thread is created when the first one has given its locks back.
        FiberProgram program{[](Api& api) {
            const Mutex a = api.mutex("a");
            const Mutex b = api.mutex("b");
            api.lock(a);
            api.lock(b);
            api.unlock(b);
            api.unlock(a);
            api.create([&api, a, b] {
                api.lock(b);
                api.lock(a);
                api.unlock(a);
                api.unlock(b);
            });
        }};
        CHECK(look_at(std::move(program)).findings.empty());
    }

    TEST_CASE("as many cycles are returned as were asked for") {
        const std::vector<StepRecord> nobody;
        CHECK(lock_order_cycles(nobody, 10).empty());
        std::vector<StepRecord> steps;
        const auto step = [&](std::uint32_t thread, OpKind kind, std::uint32_t lock) {
            Operation operation{.kind = kind};
            operation.object = ObjectId{lock};
            steps.push_back({ThreadId{thread}, operation, Variant::normal()});
        };
        for (std::uint32_t thread = 1; thread <= 4; ++thread) {
            const std::uint32_t first = thread % 2;
            step(thread, OpKind::MutexLock, first);
            step(thread, OpKind::MutexLock, 1 - first);
            step(thread, OpKind::MutexUnlock, 1 - first);
            step(thread, OpKind::MutexUnlock, first);
        }
        // Each of the two threads of one order with each of the two of the other.
        CHECK(lock_order_cycles(steps, 10).size() == 4);
        CHECK(lock_order_cycles(steps, 3).size() == 3);
    }
}

}  // namespace coopcheck::testing
