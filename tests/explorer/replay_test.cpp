// Replay on model programs: the same bug from its trace, and where exactly another program leaves the trace.
#include "explorer/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

TraceWords words(const FiberExecution& execution) {
    return {.source = [](std::uint64_t site) { return "line " + std::to_string(site); },
            .location = [&](Location location) { return execution.variable_name(location); }};
}

/// The trace of the first thing that a search finds in the program.
Trace trace_of(const FiberProgram& program, ModelOptions model = {}) {
    FiberExecution execution(program, model);
    SearchOptions options;
    options.max_findings = 1;
    const SearchResult result = explore(execution, options);
    REQUIRE(result.findings.size() == 1);
    return retrace(execution, result.findings.front(), words(execution));
}

ReplayResult replay_on(const FiberProgram& program, const Trace& trace, ReplayOptions options = {},
                       ModelOptions model = {}) {
    FiberExecution execution(program, model);
    // A run makes the variables known before they are asked for by name.
    execution.restart();
    options.words = words(execution);
    options.locate = [&](const std::string& name) -> std::optional<Location> {
        for (const Location location : execution.variables()) {
            if (execution.variable_name(location) == name) {
                return location;
            }
        }
        return std::nullopt;
    };
    return replay(execution, trace, options);
}

/// Two threads that take two locks in opposite orders; `change` is called before the second thread's second
/// lock.
FiberProgram opposite_orders(const std::function<void(Api&)>& change = [](Api&) {}) {
    return {[change](Api& api) {
        const Mutex a = api.mutex("a");
        const Mutex b = api.mutex("b");
        api.at(1);
        api.create([&api, a, b] {
            api.at(10);
            api.lock(a);
            api.lock(b);
            api.unlock(b);
            api.unlock(a);
        });
        api.at(2);
        api.create([&api, a, b, change] {
            api.at(20);
            api.lock(b);
            change(api);
            api.at(21);
            api.lock(a);
            api.unlock(a);
            api.unlock(b);
        });
    }};
}

/// The number of the trace's step in which the thread does this; counted from 1.
std::size_t step_of(const Trace& trace, const std::string& thread, OpKind kind, const std::string& object) {
    for (std::size_t index = 0; index < trace.steps.size(); ++index) {
        const TraceStep& step = trace.steps[index];
        if (step.thread == thread && step.operation.kind == kind && step.operation.object == object) {
            return index + 1;
        }
    }
    return 0;
}

}  // namespace

TEST_SUITE("replay") {
    TEST_CASE("a deadlock is reproduced from its trace, in a new execution") {
        const Trace trace = trace_of(opposite_orders());
        CHECK(trace.finding.kind == FindingKind::Deadlock);
        CHECK(trace.finding.is_cycle);
        const ReplayResult result = replay_on(opposite_orders(), trace);
        CHECK(result.kind == ReplayResult::Kind::Reproduced);
        CHECK(same_bug(*result.finding, trace.finding));
        CHECK(result.runtime_differences == 0);
    }

    TEST_CASE("an assertion is reproduced, and another assertion at the same place is a different finding") {
        const auto program = [](const char* text) {
            return FiberProgram{[text](Api& api) {
                const Var x = api.atomic("x");
                api.create([&api, x] { api.write(x, 1); });
                api.check(api.read(x) == 0, text);
            }};
        };
        const Trace trace = trace_of(program("x is zero"));
        CHECK(trace.finding.kind == FindingKind::Assertion);
        CHECK(trace.options.visible == std::vector<std::string>{"x"});
        CHECK(replay_on(program("x is zero"), trace).kind == ReplayResult::Kind::Reproduced);
        const ReplayResult other = replay_on(program("x was left alone"), trace);
        CHECK(other.kind == ReplayResult::Kind::DifferentFinding);
        CHECK(other.finding->message == "x was left alone");
    }

    TEST_CASE("a misuse is reproduced") {
        const FiberProgram program{[](Api& api) {
            const Mutex m = api.mutex("m");
            api.create([&api, m] { api.lock(m); });
            api.unlock(m);
        }};
        const Trace trace = trace_of(program);
        CHECK(trace.finding.kind == FindingKind::Misuse);
        CHECK(replay_on(program, trace).kind == ReplayResult::Kind::Reproduced);
    }

    TEST_CASE("a race is reproduced at its access") {
        const FiberProgram program{[](Api& api) {
            const Var x = api.var("x");
            const Mutex m = api.mutex("m");
            api.create([&api, x] { api.write(x, 1); });
            api.lock(m);
            api.write(x, 2);
            api.unlock(m);
        }};
        FiberExecution execution(program);
        const SearchResult result = explore(execution, {});
        REQUIRE(result.races.size() == 1);
        const Trace trace = retrace(execution, result.races.front(), words(execution));
        CHECK(trace.options.visible.empty());
        CHECK(trace.finding.operation->location == "x");
        CHECK(replay_on(program, trace).kind == ReplayResult::Kind::Reproduced);
    }

    TEST_CASE(
        "whom a signal wakes, what choose returns, timeouts, spurious wake-ups and cancellations are "
        "replayed") {
        const FiberProgram program{[](Api& api) {
            const Mutex m = api.mutex("m");
            const Condition c = api.condition("c");
            const Var word = api.atomic("word");
            std::vector<ThreadId> waiters;
            for (int i = 1; i <= 3; ++i) {
                waiters.push_back(api.create([&api, word, i] {
                    if (api.futex_wait(word, 0) == 0) {
                        api.record(i);
                    }
                }));
            }
            const ThreadId timed = api.create([&api, m, c] {
                api.lock(m);
                api.timedwait(c, m);
                api.unlock(m);
            });
            const ThreadId cancelled = api.create([&api] { api.sem_wait(api.semaphore("never")); });
            api.cancel(cancelled);
            const int woken = api.futex_wake(word, 2);
            const int chosen = api.choose(5);
            api.signal(c);
            api.join(timed);
            api.check(woken < 2 || chosen < 3, "two were woken");
        }};
        const ModelOptions model{.explore_timeouts = true, .spurious_wakeups = 1};
        // Searching all of it takes too long: the last variant everywhere, threads in the opposite order of
        // their ids.
        FiberExecution execution(program, model);
        execution.restart();
        Finding finding;
        finding.kind = FindingKind::Assertion;
        bool over = false;
        while (!over) {
            const auto parked = execution.parked();
            Choice choice;
            for (auto thread = parked.rbegin(); thread != parked.rend() && !choice.thread.valid(); ++thread) {
                const auto variants = execution.model().options(thread->thread, thread->operation);
                if (!variants.empty()) {
                    choice = {thread->thread, variants.back()};
                }
            }
            REQUIRE(choice.thread.valid());
            finding.schedule.push_back(choice);
            const StepResult step = execution.step(choice.thread, choice.variant);
            over = step.end.has_value();
            finding.thread = choice.thread;
            finding.operation = step.operation;
            if (over) {
                finding.message = step.end->message;
            }
        }
        const Trace trace = retrace(execution, finding, words(execution));
        std::set<Variant::Kind> kinds;
        for (const TraceStep& step : trace.steps) {
            kinds.insert(step.variant.kind);
        }
        CHECK(kinds.contains(Variant::Kind::Subset));
        CHECK(kinds.contains(Variant::Kind::Value));
        CHECK(kinds.contains(Variant::Kind::Cancel));
        CHECK(trace.finding.message == "two were woken");
        CHECK(replay_on(program, trace, {}, model).kind == ReplayResult::Kind::Reproduced);
    }

    TEST_CASE("a bug that shows a little later than in the trace is reproduced as well") {
        const Trace trace = trace_of(opposite_orders());
        // The trace ends with both threads before their second locks. The new lock is met beyond that, and
        // from there the second thread goes on to where it waits as before.
        const FiberProgram later = opposite_orders([](Api& api) {
            api.lock(api.mutex("log"));
            api.unlock(api.mutex("log"));
        });
        CHECK(replay_on(later, trace).kind == ReplayResult::Kind::Reproduced);
    }

    TEST_CASE("a thread that does something else diverges at that step, and where it is instead is said") {
        const Trace trace = trace_of(opposite_orders());
        const FiberProgram other{[](Api& api) {
            const Mutex a = api.mutex("a");
            const Mutex b = api.mutex("b");
            api.create([&api, a, b] {
                api.lock(a);
                api.lock(b);
            });
            api.create([&api] {
                api.at(99);
                api.lock(api.mutex("log"));
            });
        }};
        const ReplayResult before = replay_on(other, trace);
        CHECK(before.kind == ReplayResult::Kind::Diverged);
        CHECK(before.divergence->step == step_of(trace, "T0.2", OpKind::MutexLock, "b"));
        CHECK(before.divergence->expected == "T0.2 to do pthread_mutex_lock(b)");
        CHECK(before.divergence->happened == "T0.2 is at pthread_mutex_lock(log)");
        CHECK(before.divergence->source == "line 99");
    }

    TEST_CASE("a thread that does not exist, has ended or has to wait is told apart") {
        Trace trace = trace_of(opposite_orders());
        const FiberProgram alone{[](Api& api) { api.yield(); }};
        const ReplayResult nothing = replay_on(alone, trace);
        CHECK(nothing.divergence->step == 1);
        CHECK(nothing.divergence->expected == "T0 to do pthread_create(T0.1)");
        CHECK(nothing.divergence->happened == "T0 is at sched_yield");

        Trace missing = trace;
        missing.steps.insert(missing.steps.begin(), {.thread = "T0.7"});
        const ReplayResult no_thread = replay_on(opposite_orders(), missing);
        CHECK(no_thread.divergence->step == 1);
        CHECK(no_thread.divergence->happened == "T0.7 does not exist");

        // T0.1 waits for b where the trace ends; a trace that lets it go on is not possible.
        const FiberProgram waits{[](Api& api) {
            const Mutex m = api.mutex("m");
            api.lock(m);
            api.join(api.create([&api, m] { api.lock(m); }));
        }};
        Trace stuck = trace_of(waits);
        stuck.steps.push_back({.thread = "T0.1", .operation = {.kind = OpKind::MutexLock, .object = "m"}});
        const ReplayResult has_to_wait = replay_on(waits, stuck);
        CHECK(has_to_wait.divergence->step == stuck.steps.size());
        CHECK(has_to_wait.divergence->happened == "T0.1 has to wait there, for T0");

        const FiberProgram short_lived{[](Api& api) {
            api.join(api.create([] {}));
            api.check(false, "over");
        }};
        Trace ended = trace_of(short_lived);
        ended.steps.insert(ended.steps.end() - 1, ended.steps[1]);
        const ReplayResult has_ended = replay_on(short_lived, ended);
        CHECK(has_ended.divergence->step == ended.steps.size() - 1);
        CHECK(has_ended.divergence->happened == "T0.1 has ended");
    }

    TEST_CASE("another result of an operation is a divergence at its step") {
        const auto program = [](bool held) {
            return FiberProgram{[held](Api& api) {
                const Semaphore s = api.semaphore("s", held ? 0 : 1);
                api.sem_trywait(s);
                api.check(false, "always");
            }};
        };
        const Trace trace = trace_of(program(true));
        const ReplayResult result = replay_on(program(false), trace);
        CHECK(result.kind == ReplayResult::Kind::Diverged);
        CHECK(result.divergence->step == 1);
        CHECK(result.divergence->expected ==
              "T0 to do sem_trywait(s) with the result 11 (Resource temporarily unavailable)");
        CHECK(result.divergence->happened == "it returned 0");
    }

    TEST_CASE("a step that was taken out of a trace is noticed by the occurrence of the next") {
        const FiberProgram program{[](Api& api) {
            api.yield();
            api.yield();
            api.check(false, "always");
        }};
        Trace trace = trace_of(program);
        REQUIRE(trace.steps.size() == 3);
        CHECK(trace.steps[1].occurrence == 1);
        trace.steps.erase(trace.steps.begin());
        const ReplayResult result = replay_on(program, trace);
        CHECK(result.divergence->step == 1);
        CHECK(result.divergence->happened == "T0 has done this 0 times before, not 1 times");
    }

    TEST_CASE("a program that ends earlier, or fails earlier, is told from one that follows") {
        const auto program = [](const std::function<void(Api&)>& early) {
            return FiberProgram{[early](Api& api) {
                early(api);
                api.yield();
                api.check(false, "late");
            }};
        };
        const Trace trace = trace_of(program([](Api& api) { api.yield(); }));
        const ReplayResult failed = replay_on(program([](Api& api) {
                                                  api.yield();
                                                  api.check(false, "early");
                                              }),
                                              trace);
        CHECK(failed.divergence->step == 2);
        CHECK(failed.divergence->happened == "T0 is at failure");
        Trace longer = trace;
        longer.steps.push_back(trace.steps.front());
        const ReplayResult ended = replay_on(program([](Api& api) { api.yield(); }), longer);
        CHECK(ended.kind == ReplayResult::Kind::Reproduced);  // it fails as the trace says, one step earlier
    }

    TEST_CASE("a repaired program comes to a good end") {
        const auto program = [](bool broken) {
            return FiberProgram{[broken](Api& api) {
                api.yield();
                api.check(!broken, "always");
                api.yield();
            }};
        };
        const Trace trace = trace_of(program(true));
        std::vector<ReplayedStep::Kind> kinds;
        ReplayOptions options;
        options.on_step = [&](const ReplayedStep& step) { kinds.push_back(step.kind); };
        CHECK(replay_on(program(false), trace, options).kind == ReplayResult::Kind::GoodEnd);
        using enum ReplayedStep::Kind;
        CHECK(kinds == std::vector{Matching, Beyond, Beyond});  // yield; then yield and the end of main
    }

    TEST_CASE("a program that goes on for ever after its trace is given up") {
        const auto program = [](bool broken) {
            return FiberProgram{[broken](Api& api) {
                api.check(!broken, "always");
                for (;;) {
                    api.yield();
                }
            }};
        };
        const Trace trace = trace_of(program(true));
        CHECK(replay_on(program(false), trace, {.beyond_limit = 100}).kind == ReplayResult::Kind::Unfinished);
    }

    TEST_CASE("a replay stops before the step it is told, with all threads where they are") {
        const Trace trace = trace_of(opposite_orders());
        const std::size_t step = step_of(trace, "T0.2", OpKind::MutexLock, "b");
        std::size_t made = 0;
        ReplayOptions options{.until = step};
        options.on_step = [&](const ReplayedStep& replayed) { made = replayed.number; };
        const ReplayResult result = replay_on(opposite_orders(), trace, options);
        CHECK(result.kind == ReplayResult::Kind::Stopped);
        CHECK(made == step - 1);
        const auto at_lock = std::find_if(result.parked.begin(), result.parked.end(),
                                          [](const TraceWait& parked) { return parked.thread == "T0.2"; });
        REQUIRE(at_lock != result.parked.end());
        CHECK(describe(at_lock->operation) == "pthread_mutex_lock(b)");
        const ReplayResult at_end = replay_on(opposite_orders(), trace, {.until = trace.steps.size() + 1});
        CHECK(at_end.kind == ReplayResult::Kind::Stopped);
    }

    TEST_CASE("operations of the runtime library may come and go") {
        const auto program = [](int extra_before, int extra_inside) {
            return FiberProgram{[=](Api& api) {
                const auto inside_library = [&api](int times) {
                    for (int i = 0; i < times; ++i) {
                        api.lock(api.mutex("library"));
                        api.unlock(api.mutex("library"));
                    }
                };
                inside_library(extra_before);
                api.lock(api.mutex("own"));
                inside_library(extra_inside);
                api.unlock(api.mutex("own"));
                api.check(false, "always");
            }};
        };
        const auto with_runtime = [](const FiberExecution& execution) {
            TraceWords all = words(execution);
            all.is_runtime = [&](ObjectId object) {
                return execution.names().objects.name(object) == "library";
            };
            return all;
        };
        FiberExecution recorded(program(1, 0));
        const SearchResult result = explore(recorded, {});
        const Trace trace = retrace(recorded, result.findings.front(), with_runtime(recorded));
        CHECK(trace.steps.size() == 5);
        FiberExecution other(program(0, 2));
        const ReplayResult replayed = replay(other, trace, {.words = with_runtime(other)});
        CHECK(replayed.kind == ReplayResult::Kind::Reproduced);
        CHECK(replayed.runtime_differences == 2 + 4);
        // Without knowing that, the same is a divergence.
        CHECK(replay_on(program(0, 2), trace_of(program(1, 0))).divergence->step == 1);
    }

    TEST_CASE("a trace that watches memory the program does not have is refused") {
        Trace trace = trace_of(opposite_orders());
        trace.options.visible = {"nowhere"};
        CHECK_THROWS_WITH(
            static_cast<void>(replay_on(opposite_orders(), trace)),
            "The trace watches accesses to 'nowhere', which this program does not have; make the trace anew "
            "with coopcheck explore.");
    }

    TEST_CASE("the likely cause of a divergence is what differs first: arguments, the build, the input") {
        const TraceProgram program{
            .path = "p", .arguments = {"1"}, .build_id = "aa", .input = describe_input("x")};
        TraceProgram other = program;
        CHECK(likely_cause(program, other) ==
              "the program is the same; something else it depends on is not: files, the environment, "
              "uninitialized "
              "memory, a data race");
        other.input = describe_input("y");
        CHECK(likely_cause(program, other) == "the program read another input");
        other.build_id = "bb";
        CHECK(likely_cause(program, other) ==
              "the program was changed and built again (build id aa then, bb now)");
        other.arguments = {"2"};
        CHECK(likely_cause(program, other) == "the program was started with other arguments");
    }

    TEST_CASE("line numbers, addresses and folders in messages do not tell bugs apart; words do") {
        const auto finding = [](const char* message) {
            return TraceFinding{.kind = FindingKind::Assertion,
                                .thread = "T0",
                                .operation = TraceOperation{.kind = OpKind::Failure},
                                .message = message};
        };
        CHECK(same_bug(finding("../src/a.c:12: f: Assertion `x > 0' failed."),
                       finding("/home/a.c:7: f: Assertion `x > 0' failed.")));
        CHECK(same_bug(finding("SIGSEGV at 0x7fff12ab"), finding("SIGSEGV at 0x10")));
        CHECK(!same_bug(finding("a.c:12: f: Assertion `x > 0' failed."),
                        finding("a.c:12: f: Assertion `y > 0' failed.")));
        CHECK(!same_bug(finding("a.c:12: f"), finding("b.c:12: f")));
    }
}

}  // namespace coopcheck::testing
