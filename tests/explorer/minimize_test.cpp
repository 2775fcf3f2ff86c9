// Minimization on programs whose simplest counterexample is known.
#include "explorer/minimize.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "explorer/explore.hpp"
#include "tests/explorer/failing_schedule.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

constexpr ThreadId second_child{2};

/// Figure 1 of the ExitBlock paper with its invariant as an assertion.
const FiberProgram split_sync{[](Api& api) {
    const Mutex m = api.mutex("m");
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
    const ThreadId first = api.create(increment);
    const ThreadId second = api.create(increment);
    api.join(first);
    api.join(second);
}};

FiberProgram philosophers(int count) {
    return {[count](Api& api) {
        std::vector<Mutex> forks;
        forks.reserve(static_cast<std::size_t>(count));
        for (int number = 0; number < count; ++number) {
            forks.push_back(api.mutex("fork " + std::to_string(number)));
        }
        std::vector<ThreadId> threads;
        for (int number = 0; number < count; ++number) {
            const Mutex left = forks[static_cast<std::size_t>(number)];
            const Mutex right = forks[static_cast<std::size_t>((number + 1) % count)];
            threads.push_back(api.create([&api, left, right] {
                api.lock(left);
                api.lock(right);
                api.unlock(right);
                api.unlock(left);
            }));
        }
        for (const ThreadId thread : threads) {
            api.join(thread);
        }
    }};
}

/// The signal is lost if it comes before the wait.
const FiberProgram lost_wakeup{[](Api& api) {
    const Mutex m = api.mutex("m");
    const Condition c = api.condition("c");
    const ThreadId consumer = api.create([&api, m, c] {
        api.lock(m);
        api.wait(c, m);
        api.unlock(m);
    });
    const ThreadId producer = api.create([&api, m, c] {
        api.lock(m);
        api.signal(c);
        api.unlock(m);
    });
    api.join(consumer);
    api.join(producer);
}};

/// One thread writes 1 and 2, the other one must not see all of the values from `first` to 2, each in a
/// section of its own. Every change of hands but the last, after the writer's end, is a preemption.
FiberProgram alternating(int first) {
    return {[first](Api& api) {
        const Mutex m = api.mutex("m");
        const Var x = api.var("x");
        const auto locked = [&api, m](const auto& action) {
            api.lock(m);
            action();
            api.unlock(m);
        };
        const ThreadId writer = api.create([=, &api] {
            locked([&] { api.write(x, 1); });
            locked([&] { api.write(x, 2); });
        });
        const ThreadId reader = api.create([=, &api] {
            bool all = true;
            for (int value = first; value <= 2; ++value) {
                locked([&] { all = api.read(x) == value && all; });
            }
            api.check(!all, "not all of them");
        });
        api.join(writer);
        api.join(reader);
    }};
}

/// The first failing schedule among random ones from `seed` on.
Finding some_failure(FiberExecution& execution, std::uint64_t seed) {
    Random random(seed);
    for (;;) {
        constexpr std::size_t most_steps = 200;
        if (std::optional<Finding> finding = random_failure(execution, random, most_steps)) {
            return *finding;
        }
    }
}

/// What the simplest schedule is, from whatever schedule one starts.
void check_simplest(const FiberProgram& program, const ScheduleCost& expected, std::size_t decisive_step) {
    constexpr std::uint64_t seeds = 20;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        FiberExecution execution(program);
        const Finding finding = some_failure(execution, seed);
        const MinimizeResult result = minimize(execution, finding, {});
        CHECK(result.finding.key() == finding.key());
        CHECK(shows(replay(execution, result.finding.schedule), finding));
        CHECK(result.proved());
        CHECK(result.finding.preemptions == expected.preemptions);
        CHECK(result.cost.preemptions == expected.preemptions);
        CHECK(result.cost.switches == expected.switches);
        CHECK(result.cost.steps == expected.steps);
        CHECK(result.cost.threads == expected.threads);
        CHECK(result.cost.odd_variants == expected.odd_variants);
        REQUIRE(result.decision.decision);
        CHECK(result.decision.finished);
        CHECK(result.decision.decision->step == decisive_step);
        CHECK(replay(execution, result.decision.decision->passing).passed);
    }
}

}  // namespace

TEST_SUITE("minimize") {
    TEST_CASE("SplitSync needs one preemption") {
        // main creates both (2 steps); one starts and ends its first section (3), the other one runs to its
        // end (start, two sections, exit: 6), the first one takes the lock and fails (2). It was decided when
        // the other one entered its first section, after its start: had the first one gone on then, all would
        // be well.
        check_simplest(split_sync, {1, 3, 13, 3, 0}, 6);
    }

    TEST_CASE("philosophers need one preemption to starve, however many they are") {
        // main creates n threads; each starts and takes one fork. Only the first one has to be preempted: if
        // the others come in the opposite order, the next fork of each is taken already. With the last fork
        // taken all wait.
        check_simplest(philosophers(2), {1, 2, 6, 3, 0}, 5);
        check_simplest(philosophers(3), {1, 3, 9, 4, 0}, 8);
        check_simplest(philosophers(4), {1, 4, 12, 5, 0}, 11);
    }

    TEST_CASE("a lost wake-up needs no preemption") {
        // main creates both (2), the producer runs to its end (5), the consumer starts, locks and waits (3).
        // It was decided when the producer locked, after its start.
        check_simplest(lost_wakeup, {0, 2, 10, 3, 0}, 3);
    }

    TEST_CASE("two and three preemptions are needed where values have to be seen one by one") {
        // Writer: start and a section (3), reader: start and a section (3), writer: section and exit (3),
        // reader: a section and Failure (3); two creates. Decided at the writer's last lock: the reader could
        // still see 1 twice.
        check_simplest(alternating(1), {2, 4, 14, 3, 0}, 8);
        // Before that the reader starts and sees 0 (3), and has started already when it sees 1 (2).
        check_simplest(alternating(0), {3, 5, 16, 3, 0}, 10);
    }

    TEST_CASE("variants that do not matter become the first ones") {
        const FiberProgram program{[](Api& api) {
            constexpr int values = 3;
            const int chosen = api.choose(values);
            const int decisive = api.choose(values);
            api.check(decisive == 0 || chosen > values, "decisive == 0");
        }};
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            FiberExecution execution(program);
            const MinimizeResult result = minimize(execution, some_failure(execution, seed), {});
            REQUIRE(result.finding.schedule.size() == 3);
            CHECK(result.finding.schedule[0].variant == Variant::chosen(0));
            CHECK(result.finding.schedule[1].variant != Variant::chosen(0));
            CHECK(result.cost.odd_variants == 1);
            REQUIRE(result.decision.decision);
            CHECK(result.decision.decision->step == 1);
            CHECK(result.decision.decision->instead == Choice{main_thread, Variant::chosen(0)});
        }
    }

    TEST_CASE("a program that fails in every schedule has no decisive choice") {
        const FiberProgram program{[](Api& api) {
            const ThreadId child = api.create([&api] { api.check(false, "never"); });
            api.join(child);
        }};
        FiberExecution execution(program);
        const MinimizeResult result = minimize(execution, some_failure(execution, 0), {});
        CHECK_FALSE(result.decision.decision);
        CHECK(result.decision.finished);
    }

    TEST_CASE("a process that exits before a failed thread is heard of does not pass") {
        const FiberProgram program{[](Api& api) {
            api.create([&api] { api.check(false, "never"); });
            api.yield();
            api.exit(0);
        }};
        FiberExecution execution(program);
        const MinimizeResult result = minimize(execution, some_failure(execution, 0), {});
        // create, yield; then the child starts (and has failed), and is heard. Decided at its start.
        CHECK(result.cost == ScheduleCost{0, 1, 4, 2, 0});
        REQUIRE(result.decision.decision);
        CHECK(result.decision.decision->step == 2);
        CHECK(result.decision.decision->instead.thread == main_thread);
    }

    TEST_CASE("a bad exit is minimized if the judge of the search says what is bad") {
        // The child sets the flag before main looks: main has to be preempted before.
        const FiberProgram program{[](Api& api) {
            const Mutex m = api.mutex("m");
            const Var flag = api.var("flag");
            api.create([&api, m, flag] {
                api.lock(m);
                api.write(flag, 1);
                api.unlock(m);
            });
            api.lock(m);
            const auto code = static_cast<int>(api.read(flag));
            api.unlock(m);
            api.exit(code);
        }};
        FiberExecution execution(program);
        SearchOptions search;
        search.judge = [](const RunEnd& end, const Execution&) -> std::optional<Verdict> {
            return end.code == 0 ? std::nullopt
                                 : std::optional{Verdict{FindingKind::BadExit, std::to_string(end.code)}};
        };
        const SearchResult found = explore(execution, search);
        REQUIRE(found.findings.size() == 1);
        MinimizeOptions options;
        options.search = search;
        const MinimizeResult result = minimize(execution, found.findings.front(), options);
        CHECK(result.finding.kind == FindingKind::BadExit);
        CHECK(result.proved());
        // create; start, section and exit of the child; lock, unlock, exit.
        CHECK(result.cost == ScheduleCost{1, 2, 8, 2, 0});
        REQUIRE(result.decision.decision);
        CHECK(result.decision.decision->step == 2);  // the child's lock
    }

    TEST_CASE("what is proved already is not searched again") {
        FiberExecution execution(split_sync);
        MinimizeOptions options;
        options.proved_below = 1;
        const MinimizeResult result = minimize(execution, some_failure(execution, 1), options);
        CHECK(result.finding.preemptions == 1);
        CHECK(result.proved());
        CHECK(result.paths == 0);
    }

    TEST_CASE("told to stop at once, the schedule stays as it was and nothing is called proved") {
        FiberExecution execution(split_sync);
        const Finding finding = some_failure(execution, 1);
        REQUIRE(finding.preemptions > 0);
        MinimizeOptions options;
        options.should_stop = [] { return true; };
        const MinimizeResult result = minimize(execution, finding, options);
        CHECK(result.finding.schedule == finding.schedule);
        CHECK(result.stopped);
        CHECK_FALSE(result.proved());
        CHECK(result.gaps == std::vector<std::string>{"the search was stopped"});
        CHECK_FALSE(result.decision.finished);
    }

    TEST_CASE("a limit on steps leaves the number of preemptions unproved") {
        FiberExecution execution(split_sync);
        MinimizeOptions options;
        options.search.thread_step_limit = 3;
        const MinimizeResult result = minimize(execution, some_failure(execution, 1), options);
        CHECK(result.finding.preemptions == 1);
        CHECK_FALSE(result.proved());
        REQUIRE(result.gaps.size() == 1);
        CHECK(result.gaps.front().find("limit on its steps or spins") != std::string::npos);
    }

    TEST_CASE("a race has to be seen as one before fewer preemptions are excluded") {
        // With x invisible the increments are whole and cannot fail between read and write.
        const FiberProgram program{[](Api& api) {
            const Var x = api.var("x");
            const auto increment = [&api, x] { api.write(x, api.read(x) + 1); };
            const ThreadId first = api.create(increment);
            const ThreadId second = api.create(increment);
            api.join(first);
            api.join(second);
            api.check(api.read(x) == 2, "x == 2");
        }};
        FiberExecution execution(program);
        execution.restart();
        const std::vector<Location> all = execution.variables();
        execution.set_visible(all);
        const Finding finding = some_failure(execution, 3);
        MinimizeOptions options;
        options.visible = all;
        const MinimizeResult result = minimize(execution, finding, options);
        CHECK(result.finding.preemptions == 1);
        CHECK(result.proved());
        CHECK(result.visible == all);
        CHECK(shows(replay(execution, result.finding.schedule), finding));
    }

    TEST_CASE("a schedule that does not show the finding is refused") {
        FiberExecution execution(split_sync);
        Finding finding = some_failure(execution, 1);
        finding.schedule.pop_back();
        CHECK_THROWS_AS((void)minimize(execution, finding, {}), Error);
        finding.schedule = {{second_child, Variant::normal()}};
        CHECK_THROWS_AS((void)minimize(execution, finding, {}), Error);
        finding.kind = FindingKind::Race;
        CHECK_THROWS_AS((void)minimize(execution, finding, {}), Error);
        Finding predicted;
        predicted.kind = FindingKind::Deadlock;
        predicted.confirmed = false;
        CHECK_THROWS_AS((void)minimize(execution, predicted, {}), Error);
    }

    TEST_CASE("endless candidates are given up") {
        // A thread that spins until the other one has set the flag never ends if it is let go on for ever.
        const FiberProgram program{[](Api& api) {
            const Mutex m = api.mutex("m");
            const Var flag = api.var("flag");
            const ThreadId child = api.create([&api, m, flag] {
                api.lock(m);
                api.write(flag, 1);
                api.unlock(m);
            });
            for (bool set = false; !set;) {
                api.lock(m);
                set = api.read(flag) == 1;
                api.unlock(m);
            }
            api.check(false, "the flag was set");
            api.join(child);
        }};
        FiberExecution execution(program);
        MinimizeOptions options;
        options.search.thread_step_limit = 20;
        const MinimizeResult result = minimize(execution, some_failure(execution, 5), options);
        CHECK(result.finding.preemptions == 1);
        CHECK_FALSE(result.proved());  // the search cuts the endless schedule of no preemption
        // create; the child to its end (start, section, exit); lock, unlock, Failure.
        CHECK(result.cost == ScheduleCost{1, 2, 8, 2, 0});
        CHECK(result.decision.given_up > 0);
        CHECK_FALSE(result.decision.finished);
    }
}

}  // namespace coopcheck::testing
