#include "tests/support/fiber_execution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "core/check.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {

namespace {

constexpr ThreadId first_child{1};

/// Two threads that take a mutex, and main.
FiberProgram two_lockers() {
    return {[](Api& api) {
        const Mutex mutex = api.mutex("m");
        const auto body = [&api, mutex] {
            api.lock(mutex);
            api.unlock(mutex);
        };
        const ThreadId first = api.create(body);
        const ThreadId second = api.create(body);
        api.join(first);
        api.join(second);
    }};
}

/// Takes random steps to the end of the run, or until nobody can go on.
std::vector<StepResult> run_at_random(FiberExecution& execution, Random& random) {
    std::vector<StepResult> steps;
    for (;;) {
        std::vector<Choice> choices;
        for (const ParkedThread& parked : execution.parked()) {
            for (const Variant variant : execution.model().options(parked.thread, parked.operation)) {
                choices.push_back({parked.thread, variant});
            }
        }
        if (choices.empty()) {
            return steps;
        }
        const Choice choice =
            choices[static_cast<std::size_t>(random.below(static_cast<int>(choices.size())))];
        steps.push_back(execution.step(choice.thread, choice.variant));
    }
}

void check_same(const StepResult& left, const StepResult& right) {
    CHECK(left.operation == right.operation);
    CHECK(left.variant == right.variant);
    CHECK(left.outcome.result == right.outcome.result);
    CHECK(left.outcome.misuse == right.outcome.misuse);
    CHECK(left.outcome.parked_at == right.outcome.parked_at);
    CHECK(left.outcome.cancelled == right.outcome.cancelled);
    CHECK(left.thread_ended == right.thread_ended);
    CHECK(left.end.has_value() == right.end.has_value());
    CHECK(std::equal(left.accesses.begin(), left.accesses.end(), right.accesses.begin(), right.accesses.end(),
                     [](const Access& one, const Access& other) {
                         return one.location == other.location && one.write == other.write &&
                                one.site == other.site;
                     }));
}

}  // namespace

TEST_CASE("a place revisited has the same threads parked at the same operations") {
    for (const Shape& shape : families()) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            FiberExecution execution(to_fibers(generate(seed, shape)));
            Random random(seed);
            execution.restart();
            struct Seen {
                PlacePtr place;
                std::vector<ParkedThread> parked;
                SyncModel model;
            };
            std::vector<Seen> seen;
            const auto note = [&] {
                seen.push_back({execution.here(),
                                {execution.parked().begin(), execution.parked().end()},
                                execution.model()});
            };
            for (int run = 0; run < 3; ++run) {
                execution.restart();
                note();
                while (!execution.parked().empty()) {
                    std::vector<ParkedThread> able(execution.parked().begin(), execution.parked().end());
                    std::erase_if(able, [&](const ParkedThread& one) {
                        return execution.model().options(one.thread, one.operation).empty();
                    });
                    if (able.empty()) {
                        break;
                    }
                    const ParkedThread& next =
                        able[static_cast<std::size_t>(random.below(static_cast<int>(able.size())))];
                    execution.step(next.thread,
                                   execution.model().options(next.thread, next.operation).front());
                    note();
                }
            }
            for (std::size_t count = 0; count < 40; ++count) {
                const Seen& again =
                    seen[static_cast<std::size_t>(random.below(static_cast<int>(seen.size())))];
                execution.revisit(again.place);
                const bool same =
                    std::equal(execution.parked().begin(), execution.parked().end(), again.parked.begin(),
                               again.parked.end(), [](const ParkedThread& one, const ParkedThread& other) {
                                   return one.thread == other.thread && one.operation == other.operation;
                               });
                CHECK(same);
                CHECK(execution.model() == again.model);
                CHECK(execution.path() == again.place->schedule());
                CHECK(execution.here() == again.place);
            }
        }
    }
}

TEST_CASE("random schedules give identical steps when they are replayed by another execution") {
    for (const Shape& shape : families()) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const FiberProgram program = to_fibers(generate(seed, shape));
            FiberExecution execution(program, {.explore_timeouts = true, .spurious_wakeups = 1});
            FiberExecution other(program, {.explore_timeouts = true, .spurious_wakeups = 1});
            Random random(seed);
            for (int run = 0; run < 5; ++run) {
                execution.restart();
                const std::vector<StepResult> steps = run_at_random(execution, random);
                const Schedule schedule = execution.path();
                REQUIRE(steps.size() == schedule.size());
                other.restart();
                for (std::size_t step = 0; step < steps.size(); ++step) {
                    check_same(steps[step], other.step(schedule[step].thread, schedule[step].variant));
                }
                CHECK(execution.final_state() == other.final_state());
            }
        }
    }
}

TEST_CASE("revisiting goes forward from an ancestor and starts again otherwise") {
    FiberExecution execution(two_lockers());
    execution.restart();
    const PlacePtr start = execution.here();
    execution.step(main_thread, Variant::normal());
    execution.step(first_child, Variant::normal());
    const PlacePtr later = execution.here();
    CHECK(later->depth() == 2);
    CHECK(execution.runs_started() == 1);
    execution.revisit(start);
    CHECK(execution.runs_started() == 2);
    execution.step(main_thread, Variant::normal());
    execution.revisit(later);
    CHECK(execution.runs_started() == 2);
    CHECK(execution.here() == later);
    execution.step(main_thread, Variant::normal());
    execution.revisit(later);
    CHECK(execution.runs_started() == 3);
    CHECK(execution.steps_executed() == 7);
}

TEST_CASE("accesses are reported by the step they happen in, or are steps themselves when visible") {
    FiberExecution execution({[](Api& api) {
        const Var x = api.var("x", 5);
        const Var y = api.atomic("y");
        api.yield();
        api.write(y, api.read(x));
        api.yield();
    }});
    execution.restart();
    REQUIRE(execution.variables().size() == 2);
    const Location x = execution.variables()[0];
    const Location y = execution.variables()[1];
    CHECK(execution.variable_name(y) == "y");
    const StepResult both = execution.step(main_thread, Variant::normal());
    REQUIRE(both.accesses.size() == 2);
    CHECK(both.accesses[0].location == x);
    CHECK_FALSE(both.accesses[0].write);
    CHECK_FALSE(both.accesses[0].atomic);
    CHECK(both.accesses[1].location == y);
    CHECK(both.accesses[1].write);
    CHECK(both.accesses[1].atomic);

    execution.set_visible(std::vector<Location>{x});
    const PlacePtr before = execution.here();
    execution.restart();
    CHECK_THROWS_AS(execution.revisit(before), InternalError);
    execution.restart();
    CHECK(execution.step(main_thread, Variant::normal()).accesses.empty());
    CHECK(execution.parked()[0].operation.kind == OpKind::Read);
    CHECK(execution.parked()[0].operation.location == x);
    CHECK(execution.step(main_thread, Variant::normal()).accesses.size() == 1);
    CHECK(execution.parked()[0].operation.kind == OpKind::Yield);
    execution.step(main_thread, Variant::normal());
    CHECK(execution.step(main_thread, Variant::normal()).end->kind == RunEnd::Kind::AllThreadsEnded);
    CHECK(execution.final_state() == "x=5 y=5; T0:");
}

TEST_CASE("threads that do not come to their end are unwound") {
    int alive = 0;
    struct Counted {
        explicit Counted(int& number) : count(number) { ++count; }
        ~Counted() { --count; }
        int& count;
    };
    {
        FiberExecution execution({[&](Api& api) {
            const Counted counted(alive);
            const Mutex mutex = api.mutex("m");
            api.create([&, mutex] {
                const Counted inner(alive);
                api.lock(mutex);
                api.lock(mutex);
            });
            api.yield();
        }});
        execution.restart();
        execution.step(main_thread, Variant::normal());
        execution.step(first_child, Variant::normal());
        CHECK(alive == 2);
        execution.restart();
        CHECK(alive == 1);
        execution.step(main_thread, Variant::normal());
        execution.step(first_child, Variant::normal());
        execution.step(first_child, Variant::normal());
        const StepResult misused = execution.step(first_child, Variant::normal());
        CHECK(misused.end->kind == RunEnd::Kind::Misused);
        CHECK(misused.end->misuse == Misuse::SelfDeadlock);
        CHECK(execution.parked().empty());
    }
    CHECK(alive == 0);
}

TEST_CASE("a cancelled thread runs its destructors, with operations in them, and leaves its once routine") {
    struct Unlocker {
        Api& api;
        Mutex mutex;
        ~Unlocker() noexcept(false) { api.unlock(mutex); }
    };
    FiberExecution execution({[](Api& api) {
        const Mutex mutex = api.mutex("m");
        const Once once = api.once("o");
        const ThreadId child = api.create([=, &api] {
            api.lock(mutex);
            const Unlocker unlocker{api, mutex};
            api.call_once(once, [&] { api.sleep(); });
        });
        api.cancel(child);
        api.join(child);
    }});
    execution.restart();
    execution.step(main_thread, Variant::normal());
    std::vector<OpKind> kinds;
    const auto step = [&](ThreadId thread, Variant variant) {
        kinds.push_back(execution.step(thread, variant).operation.kind);
    };
    for (int count = 0; count < 3; ++count) {
        step(first_child, Variant::normal());
    }
    step(main_thread, Variant::normal());
    step(first_child, Variant::cancel());
    SUBCASE("to its end") {
        for (int count = 0; count < 3; ++count) {
            step(first_child, Variant::normal());
        }
        step(main_thread, Variant::normal());
        step(main_thread, Variant::normal());
        CHECK(kinds == std::vector<OpKind>{OpKind::ThreadStart, OpKind::MutexLock, OpKind::OnceEnter,
                                           OpKind::ThreadCancel, OpKind::Sleep, OpKind::OnceAbort,
                                           OpKind::MutexUnlock, OpKind::ThreadExit, OpKind::ThreadJoin,
                                           OpKind::ThreadExit});
        CHECK(execution.parked().empty());
    }
    SUBCASE("and is abandoned while it does") {
        step(first_child, Variant::normal());
        CHECK(execution.parked_thread(first_child).operation.kind == OpKind::MutexUnlock);
        execution.restart();
        CHECK(execution.parked().size() == 1);
    }
}

TEST_CASE("what goes wrong before the first operation of main is told by its first step") {
    FiberExecution execution({[](Api& api) { api.check(false, "at once"); }});
    execution.restart();
    REQUIRE(execution.parked().size() == 1);
    const StepResult result = execution.step(main_thread, Variant::normal());
    REQUIRE(result.end);
    CHECK(result.end->kind == RunEnd::Kind::Failed);
    CHECK(result.end->failure == FindingKind::Assertion);
    CHECK(result.end->message == "at once");
    CHECK(execution.parked().empty());
}

TEST_CASE("an exception that leaves a thread is thrown by the step") {
    FiberExecution execution({[](Api& api) {
        api.yield();
        throw std::runtime_error("a bug of the test");
    }});
    execution.restart();
    CHECK_THROWS_AS(execution.step(main_thread, Variant::normal()), std::runtime_error);
    execution.restart();
    CHECK(execution.parked().size() == 1);
}

TEST_CASE("operations in trusted code say so") {
    FiberExecution execution({[](Api& api) {
        const Mutex mutex = api.mutex("m");
        api.trusted([&] { api.lock(mutex); });
        api.unlock(mutex);
    }});
    execution.restart();
    CHECK(execution.parked()[0].operation.trusted);
    execution.step(main_thread, Variant::normal());
    CHECK_FALSE(execution.parked()[0].operation.trusted);
}

TEST_CASE("steps that are not possible are refused") {
    FiberExecution execution(two_lockers());
    execution.restart();
    CHECK_THROWS_AS(execution.step(first_child, Variant::normal()), InternalError);
    CHECK_THROWS_AS(execution.step(main_thread, Variant::timeout()), InternalError);
}

}  // namespace coopcheck::testing
