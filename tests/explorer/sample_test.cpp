// What sample() does with any strategy: finds, counts, stops, is fair.
#include <doctest/doctest.h>

#include <set>

#include "explorer/random_strategy.hpp"
#include "tests/explorer/failing_programs.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

SampleOptions budget(std::size_t schedules) {
    SampleOptions options;
    options.budget.schedules = schedules;
    return options;
}

/// One thread asks until another has told.
FiberProgram asking(const std::function<void(Api&)>& between, bool reader_first = true) {
    return {[=](Api& api) {
        const auto reader = [&api, between] {
            while (api.read(api.atomic("told")) == 0) {
                between(api);
            }
        };
        const auto writer = [&api] {
            api.sem_post(api.semaphore("s"));
            api.write(api.atomic("told"), 1);
            api.sem_post(api.semaphore("s"));
        };
        if (reader_first) {
            api.create(reader);
            api.create(writer);
        } else {
            api.create(writer);
            api.create(reader);
        }
    }};
}

}  // namespace

TEST_SUITE("sampling") {
    TEST_CASE("every strategy finds every known bug, and its schedule shows it again") {
        for (const NamedStrategy& named : all_strategies()) {
            for (const FailingProgram& program : failing_programs()) {
                CAPTURE(named.name);
                CAPTURE(program.name);
                const std::unique_ptr<Strategy> strategy = named.make(1);
                FiberExecution execution(program.broken);
                SampleOptions options = budget(3'000);
                options.max_findings = 1;
                const SampleResult result = sample(execution, *strategy, options);
                REQUIRE(!result.findings.empty());
                CHECK(result.has_enough);
                for (const Finding& finding : result.findings) {
                    CHECK(finding.kind == program.kind);
                    const std::optional<Finding> again = run_again(execution, finding);
                    REQUIRE(again);
                    CHECK(again->key() == finding.key());
                }
            }
        }
    }

    TEST_CASE("no strategy finds anything in the repaired programs") {
        for (const NamedStrategy& named : all_strategies()) {
            for (const FailingProgram& program : failing_programs()) {
                CAPTURE(named.name);
                CAPTURE(program.name);
                const std::unique_ptr<Strategy> strategy = named.make(2);
                FiberExecution execution(program.fixed);
                const SampleResult result = sample(execution, *strategy, budget(300));
                CHECK(result.findings.empty());
                CHECK(result.counts.complete == 300);
                CHECK(result.stop == "the limit on schedules was reached");
                CHECK_FALSE(result.has_enough);
            }
        }
    }

    TEST_CASE("the same seed gives the same schedules, another seed others") {
        const FiberProgram program = posting_threads({"xpx", "pxx", "xxp"});
        for (const NamedStrategy& named : all_strategies()) {
            CAPTURE(named.name);
            std::vector<std::vector<Schedule>> runs;
            for (const std::uint64_t seed : {11U, 11U, 12U}) {
                const std::unique_ptr<Strategy> strategy = named.make(seed);
                FiberExecution execution(program);
                Orders orders;
                static_cast<void>(sample(execution, *strategy, budget(200), &orders));
                runs.push_back(orders.schedules);
            }
            CHECK(runs[0] == runs[1]);
            CHECK(runs[0] != runs[2]);
        }
    }

    TEST_CASE("all findings are collected when the first is not enough, each once") {
        const FiberProgram program{[](Api& api) {
            const int value = api.choose(4);
            api.check(value != 1, "not 1");
            api.check(value != 2, "not 2");
        }};
        FiberExecution execution(program);
        UniformStrategy strategy(1);
        const SampleResult result = sample(execution, strategy, budget(200));
        CHECK(result.findings.size() == 2);
        CHECK(result.counts.complete == 200);
    }

    TEST_CASE("a deadlock among some threads is told where it closes, and once") {
        const FailingProgram& program = failing_programs()[1];
        FiberExecution execution(program.broken);
        UniformStrategy strategy(1);
        const SampleResult result = sample(execution, strategy, budget(500));
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().is_cycle);
        CHECK(result.findings.front().waits.size() == 2);
        CHECK(result.counts.deadlocked > 0);
        CHECK(result.counts.deadlocked + result.counts.complete == 500);
    }

    TEST_CASE("a deadlock ends its schedule if one finding is enough, though other threads never end") {
        const FiberProgram program{[](Api& api) {
            failing_programs()[0].broken.main(api);
            api.create([&api] {
                for (;;) {
                    api.sem_post(api.semaphore("own"));
                }
            });
        }};
        FiberExecution execution(program);
        // The endless one is created and left; the others take their first locks.
        Scripted strategy({"T0", "T0", "T0", "T0", "T0.1", "T0.1", "T0.2", "T0.2"});
        SampleOptions options = budget(10);
        options.max_findings = 1;
        const SampleResult result = sample(execution, strategy, options);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().is_cycle);
        CHECK(result.counts.steps == 8);
        CHECK(result.schedules() == 1);
    }

    TEST_CASE("deadlocks are not reported if they are not looked for, and the claim says so") {
        FiberExecution execution(failing_programs()[0].broken);
        UniformStrategy strategy(1);
        SampleOptions options = budget(200);
        options.find_deadlocks = false;
        const SampleResult result = sample(execution, strategy, options);
        CHECK(result.findings.empty());
        CHECK(result.counts.deadlocked > 0);
        CHECK(result.gaps.size() == 1);
    }

    TEST_CASE("sampling stops in the middle of a schedule when asked to, and does not count that schedule") {
        FiberExecution execution(posting_threads({"pp", "pp"}));  // 11 steps
        UniformStrategy strategy(1);
        SampleOptions options = budget(1'000);
        options.budget.interruption = [&]() -> std::optional<std::string> {
            return execution.steps_executed() >= 25 ? std::optional<std::string>("enough") : std::nullopt;
        };
        const SampleResult result = sample(execution, strategy, options);
        CHECK(result.stop == "enough");
        CHECK(result.counts.steps == 25);
        CHECK(result.counts.complete == 2);
        CHECK(result.estimate.walks() == 2);
    }

    TEST_CASE("a judge decides about runs that end by themselves") {
        const FiberProgram program{[](Api& api) { api.exit(api.choose(3)); }};
        FiberExecution execution(program);
        UniformStrategy strategy(1);
        SampleOptions options = budget(100);
        options.judge = [](const RunEnd& end, const Execution&) {
            return end.code == 2 ? std::optional{Verdict{FindingKind::BadExit, "exit code 2"}} : std::nullopt;
        };
        const SampleResult result = sample(execution, strategy, options);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().kind == FindingKind::BadExit);
        CHECK(result.findings.front().message == "exit code 2");
    }

    TEST_CASE("a thread is not run further than its limit when sampled") {
        const FiberProgram program{[](Api& api) {
            api.create([&api] {
                for (;;) {
                    api.sem_post(api.semaphore("s", 0));
                }
            });
        }};
        for (const NamedStrategy& named : all_strategies()) {
            const std::unique_ptr<Strategy> strategy = named.make(1);
            FiberExecution execution(program);
            SampleOptions options = budget(20);
            options.thread_step_limit = 30;
            const SampleResult result = sample(execution, *strategy, options);
            CHECK(result.counts.truncated == 20);
            CHECK(result.counts.steps == 20 * (2 + 30));  // main creates and exits
            CHECK(result.gaps.size() == 1);
            CHECK(result.findings.empty());
        }
    }

    TEST_CASE("schedules that differ in the order of independent operations are one class") {
        const auto regions = [](bool one_lock) {
            return FiberProgram{[one_lock](Api& api) {
                for (int i = 0; i < 2; ++i) {
                    api.create([&api, i, one_lock] {
                        const Mutex m = api.mutex(one_lock || i == 0 ? "m" : "other");
                        for (int region = 0; region < 2; ++region) {
                            api.lock(m);
                            api.unlock(m);
                        }
                    });
                }
            }};
        };
        UniformStrategy strategy(1);
        FiberExecution apart(regions(false));
        const SampleResult no_order = sample(apart, strategy, budget(500));
        CHECK(no_order.distinct_classes == 1);
        CHECK(no_order.distinct_schedules > 100);
        FiberExecution sharing(regions(true));
        CHECK(sample(sharing, strategy, budget(2'000)).distinct_classes ==
              6);  // 4 over 2 orders of the regions
        FiberExecution posting(posting_threads({"pp", "p"}));
        CHECK(sample(posting, strategy, budget(20'000)).distinct_schedules == 504);
    }

    TEST_CASE("loops that yield or sleep end under every strategy") {
        for (const auto& between : std::vector<std::function<void(Api&)>>{[](Api& api) { api.yield(); },
                                                                          [](Api& api) { api.sleep(); }}) {
            for (const NamedStrategy& named : all_strategies()) {
                for (const bool reader_first : {true, false}) {
                    CAPTURE(named.name);
                    const std::unique_ptr<Strategy> strategy = named.make(1);
                    FiberExecution execution(asking(between, reader_first));
                    SampleOptions options = budget(200);
                    options.thread_step_limit = 100;
                    const SampleResult result = sample(execution, *strategy, options);
                    CHECK(result.counts.complete == 200);
                }
            }
        }
    }

    TEST_CASE("a thread that yielded too often at one place is not run before all others had a turn") {
        // Three yields; the other thread can go on all the time, its exit is not in the orders.
        const FiberProgram program{[](Api& api) {
            api.create([&api] {
                api.at(1);
                for (int i = 0; i < 3; ++i) {
                    api.yield();
                }
                api.at(4);
                api.sem_post(api.semaphore("s"));
            });
            api.create([&api] {
                api.at(9);
                api.sem_post(api.semaphore("s"));
            });
        }};
        for (const unsigned patience : {1U, 2U}) {
            FiberExecution execution(program);
            UniformStrategy uniform(1);
            AfterStart strategy(uniform);
            SampleOptions options = budget(400);
            options.spin_patience = patience;
            Orders orders;
            const SampleResult result = sample(execution, strategy, options, &orders);
            std::set<std::string> seen;
            for (const auto& [order, count] : orders.counts) {
                seen.insert(order);
            }
            std::set<std::string> expected = {"9 1 1 1 4", "1 9 1 1 4", "1 1 9 1 4"};
            if (patience == 2) {
                expected.insert("1 1 1 9 4");
            }
            CHECK(seen == expected);
            CHECK(result.gaps.empty());
            CHECK(result.conditions.size() == 1);
        }
    }

    TEST_CASE("what happens if a sleep is too short is found") {
        const FiberProgram program{[](Api& api) {
            api.create([&api] {
                api.sleep();
                api.check(api.sem_getvalue(api.semaphore("ready")) == 1, "ready after the sleep");
            });
            api.create([&api] { api.sem_post(api.semaphore("ready")); });
        }};
        FiberExecution execution(program);
        UniformStrategy strategy(1);
        SampleOptions options = budget(500);
        CHECK(sample(execution, strategy, options).findings.size() == 1);
    }

    TEST_CASE("a loop that asks without a yield is interrupted when patience is over") {
        for (const NamedStrategy& named : all_strategies()) {
            CAPTURE(named.name);
            const std::unique_ptr<Strategy> strategy = named.make(1);
            FiberExecution execution(asking([](Api& api) { api.sem_post(api.semaphore("s")); }));
            SampleOptions options = budget(100);
            options.turn_limit = 40;
            options.thread_step_limit = 400;
            CHECK(sample(execution, *strategy, options).counts.complete == 100);
        }
    }

    TEST_CASE("two loops of timed waits both have their turns when nothing else can run") {
        const FiberProgram program{[](Api& api) {
            for (const char* name : {"s1", "s2"}) {
                api.create([&api, name] {
                    const Semaphore own = api.semaphore(name);
                    const Var rounds = api.atomic("rounds");
                    int mine = 0;
                    // Goes on until the other one has also timed out.
                    while (mine == 0 || api.read(rounds) == mine) {
                        api.sem_timedwait(own);
                        mine += 1;
                        api.write(rounds, api.read(rounds) + 1);
                    }
                });
            }
        }};
        for (const NamedStrategy& named : all_strategies()) {
            CAPTURE(named.name);
            const std::unique_ptr<Strategy> strategy = named.make(1);
            FiberExecution execution(program);
            SampleOptions options = budget(100);
            options.thread_step_limit = 100;
            CHECK(sample(execution, *strategy, options).counts.complete == 100);
        }
    }

    TEST_CASE("a switch away from a thread that could have gone on is a preemption, others are not") {
        FiberExecution execution(failing_programs()[0].broken);
        // Both threads take their first lock, the first thread being left before its second: one preemption.
        Scripted strategy({"T0", "T0", "T0", "T0.1", "T0.1", "T0.2", "T0.2"});
        SampleOptions options = budget(1);
        options.max_findings = 1;
        const SampleResult result = sample(execution, strategy, options);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().preemptions == 1);
        CHECK(result.findings.front().schedule.size() == 7);
    }
}

}  // namespace coopcheck::testing
