// Single properties of the search, each on the smallest program that shows it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

/// Collects the final states of complete schedules and every schedule itself.
class Collected : public SearchListener {
  public:
    explicit Collected(const FiberExecution& execution) : execution_(execution) {}
    void path(const PathReport& report) override {
        if (report.end == PathEnd::Complete) {
            states.insert(execution_.final_state());
            ++schedules;
            distinct.insert(to_schedule(report.steps));
        }
    }
    void start_over() override {
        schedules = 0;
        distinct.clear();
    }
    std::set<std::string> states;
    std::set<Schedule> distinct;
    std::size_t schedules = 0;

  private:
    const FiberExecution& execution_;
};

SearchOptions plain() {
    SearchOptions options;
    options.pruning = Pruning::None;
    return options;
}

/// Locks both mutexes of the names given, one inside the other.
void nest(Api& api, const char* outer, const char* inner) {
    const Mutex out = api.mutex(outer);
    const Mutex in = api.mutex(inner);
    api.lock(out);
    api.lock(in);
    api.unlock(in);
    api.unlock(out);
}

}  // namespace

TEST_SUITE("search") {
    TEST_CASE("every waiter is woken by a signal in some schedule, and no schedule runs twice") {
        const FiberProgram program{[](Api& api) {
            const Mutex m = api.mutex("m");
            const Condition c = api.condition("c");
            api.trusted([&] {
                for (int i = 1; i <= 3; ++i) {
                    api.create([&api, m, c, i] {
                        const Var waiting = api.var("waiting");
                        const Var first = api.var("first");
                        api.lock(m);
                        api.write(waiting, api.read(waiting) + 1);
                        api.wait(c, m);
                        if (api.read(first) == 0) {
                            api.write(first, i);
                        }
                        api.unlock(m);
                    });
                }
                api.create([&api, m, c] {
                    const Var waiting = api.var("waiting");
                    api.lock(m);
                    if (api.read(waiting) == 3) {
                        api.signal(c);
                        api.unlock(m);
                        api.lock(m);
                        api.broadcast(c);
                    } else {
                        api.exit(1);
                    }
                    api.unlock(m);
                });
            });
        }};
        for (const Pruning pruning : {Pruning::None, Pruning::ReadWrite}) {
            FiberExecution execution(program);
            Collected collected(execution);
            SearchOptions options;
            options.pruning = pruning;
            const SearchResult result = explore(execution, options, &collected);
            // No deadlock: the fourth thread ends the process if it comes too early.
            CHECK(result.findings.empty());
            CHECK(result.gaps.empty());
            for (const char* first : {"first=1", "first=2", "first=3"}) {
                CHECK(std::any_of(
                    collected.states.begin(), collected.states.end(),
                    [&](const std::string& state) { return state.find(first) != std::string::npos; }));
            }
            CHECK(collected.distinct.size() == collected.schedules);
        }
    }

    TEST_CASE("two choices in one block are explored in all combinations") {
        const FiberProgram program{[](Api& api) {
            api.trusted([&] {
                api.record(api.choose(3));
                api.record(api.choose(3));
            });
        }};
        FiberExecution execution(program);
        Collected collected(execution);
        const SearchResult result = explore(execution, {}, &collected);
        CHECK(result.counts.complete == 9);
        CHECK(collected.states.size() == 9);
    }

    TEST_CASE("trusted code ends no block") {
        const auto program = [](bool trusted) {
            return FiberProgram{[trusted](Api& api) {
                api.trusted([&] {
                    for (int i = 0; i < 2; ++i) {
                        api.create([&api, trusted] {
                            const Mutex m = api.mutex("m");
                            const auto library = [&] {
                                api.lock(m);
                                api.unlock(m);
                            };
                            if (trusted) {
                                api.trusted(library);
                            } else {
                                library();
                            }
                            api.lock(m);
                            api.unlock(m);
                        });
                    }
                });
            }};
        };
        FiberExecution untrusting(program(false));
        CHECK(explore(untrusting, plain()).counts.complete == 6);  // 4 over 2
        FiberExecution trusting(program(true));
        CHECK(explore(trusting, plain()).counts.complete == 2);
    }

    TEST_CASE("locks that only one thread uses end no block, until another thread uses them") {
        const auto program = [](bool second_user) {
            return FiberProgram{[second_user](Api& api) {
                api.trusted([&] {
                    for (int i = 0; i < 2; ++i) {
                        api.create([&api, i, second_user] {
                            const Mutex own = api.mutex(i == 0 || second_user ? "own" : "other");
                            const Mutex m = api.mutex("m");
                            api.lock(own);
                            api.unlock(own);
                            api.lock(m);
                            api.unlock(m);
                        });
                    }
                });
            }};
        };
        SearchOptions options = plain();
        FiberExecution before(program(false));
        CHECK(explore(before, options).counts.complete == 6);
        options.ignore_unshared_locks = true;
        FiberExecution unshared(program(false));
        CHECK(explore(unshared, options).counts.complete == 2);
        FiberExecution shared(program(true));
        const SearchResult result = explore(shared, options);
        CHECK(result.counts.complete == 6);
        CHECK(result.refinements > 0);
    }

    TEST_CASE("a thread is not run beyond its limit, and the search says that it is incomplete") {
        const FiberProgram program{[](Api& api) {
            api.create([&api] {
                const Mutex m = api.mutex("m");
                for (;;) {
                    api.lock(m);
                    api.unlock(m);
                }
            });
        }};
        FiberExecution execution(program);
        SearchOptions options;
        options.thread_step_limit = 9;
        const SearchResult result = explore(execution, options);
        CHECK(result.counts.truncated > 0);
        CHECK(result.findings.empty());
        CHECK(result.gaps.size() == 1);
    }

    TEST_CASE("a deadlock among some threads is found while others still run") {
        const FiberProgram program{[](Api& api) {
            api.create([&api] { nest(api, "a", "b"); });
            api.create([&api] { nest(api, "b", "a"); });
            api.create([&api] {
                const Mutex m = api.mutex("m");
                api.lock(m);
                api.unlock(m);
                api.exit(0);
            });
        }};
        FiberExecution execution(program);
        const SearchResult result = explore(execution, {});
        REQUIRE(result.findings.size() == 1);
        const Finding& deadlock = result.findings.front();
        CHECK(deadlock.is_cycle);
        REQUIRE(deadlock.waits.size() == 2);
        std::set<std::string> threads;
        for (const Wait& wait : deadlock.waits) {
            threads.insert(execution.names().threads.name(wait.thread));
        }
        CHECK(threads == std::set<std::string>{"T0.1", "T0.2"});
    }

    TEST_CASE("the schedule of a predicted deadlock leads into it") {
        const FiberProgram program{[](Api& api) {
            api.trusted([&] {
                api.create([&api] { nest(api, "a", "b"); });
                api.create([&api] { nest(api, "b", "c"); });
                api.create([&api] { nest(api, "c", "a"); });
            });
        }};
        FiberExecution execution(program);
        SearchOptions options;
        options.nested_locks = NestedLocks::Predict;
        const SearchResult result = explore(execution, options);
        REQUIRE(result.findings.size() == 1);
        const Finding& deadlock = result.findings.front();
        CHECK(deadlock.waits.size() == 3);
        CHECK(deadlock.confirmed);
        execution.restart();
        for (const Choice& choice : deadlock.schedule) {
            execution.step(choice.thread, choice.variant);
        }
        CHECK(execution.parked().size() == 3);
        for (const ParkedThread& parked : execution.parked()) {
            CHECK_FALSE(execution.model().enabled(parked.thread, parked.operation));
        }
    }

    // Theorem 6.4 (b) of the paper says that this cannot be: the second thread nests its locks only if the
    // first one has already been through its own, so there is no deadlock; but the last lock of the first
    // thread fits.
    TEST_CASE(
        "a predicted deadlock that cannot happen is reported apart, and is gone when nesting is executed") {
        const FiberProgram program{[](Api& api) {
            api.trusted([&] {
                api.create([&api] {
                    const Mutex a = api.mutex("a");
                    const Mutex b = api.mutex("b");
                    api.lock(a);
                    api.lock(b);
                    api.write(api.var("x"), 1);
                    api.unlock(b);
                    api.unlock(a);
                });
                api.create([&api] {
                    const Mutex b = api.mutex("b");
                    api.lock(b);
                    const auto x = api.read(api.var("x"));
                    api.unlock(b);
                    if (x == 1) {
                        nest(api, "b", "a");
                    }
                });
            });
        }};
        FiberExecution execution(program);
        SearchOptions options;
        options.nested_locks = NestedLocks::Predict;
        const SearchResult predicting = explore(execution, options);
        CHECK(predicting.findings.empty());
        CHECK(predicting.predicted.size() == 1);
        CHECK_FALSE(predicting.gaps.empty());
        const SearchResult executing = explore(execution, {});
        CHECK(executing.findings.empty());
        CHECK(executing.predicted.empty());
        CHECK(executing.gaps.empty());
    }

    // Theorem 6.4 (a) of the paper says that ExitBlock-DD finds this deadlock. It does not: whichever thread
    // runs its nested locks first sets the flag that keeps the other one from nesting.
    TEST_CASE(
        "a deadlock that lock chain analysis cannot see is found because the order of locks has a cycle") {
        const auto thread = [](Api& api, const char* outer, const char* mine, const char* inner,
                               const char* theirs) {
            const Mutex out = api.mutex(outer);
            const Mutex in = api.mutex(inner);
            api.lock(out);
            if (api.read(api.var(mine)) == 0) {
                api.lock(in);
                api.write(api.var(theirs), 1);
                api.unlock(in);
            }
            api.unlock(out);
        };
        const FiberProgram program{[=](Api& api) {
            api.trusted([&] {
                api.create([&api, thread] { thread(api, "a", "p", "b", "q"); });
                api.create([&api, thread] { thread(api, "b", "q", "a", "p"); });
            });
        }};
        FiberExecution execution(program);
        SearchOptions options = plain();
        options.nested_locks = NestedLocks::Predict;
        CHECK(explore(execution, options).findings.empty());
        options.nested_locks = NestedLocks::Auto;
        const SearchResult result = explore(execution, options);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().kind == FindingKind::Deadlock);
        CHECK(result.refinements > 0);
    }

    TEST_CASE("a reader that reads again deadlocks with a preferred writer that came in between") {
        const auto program_with = [](RwPolicy policy) {
            return FiberProgram{[policy](Api& api) {
                const RwLock lock = api.rwlock("lock", policy);
                api.create([&api, lock] {
                    api.wrlock(lock);
                    api.rwunlock(lock);
                });
                api.rdlock(lock);
                api.rdlock(lock);
                api.rwunlock(lock);
                api.rwunlock(lock);
            }};
        };
        FiberExecution preferred(program_with(RwPolicy::PreferWriter));
        const SearchResult result = explore(preferred, {});
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().kind == FindingKind::Deadlock);
        FiberExecution not_preferred(program_with(RwPolicy::PreferReader));
        CHECK(explore(not_preferred, {}).findings.empty());
    }

    TEST_CASE("an unprotected variable is noticed and its accesses become operations") {
        const FiberProgram program{[](Api& api) {
            const auto increment = [&api] {
                const Var x = api.var("x");
                api.write(x, api.read(x) + 1);
            };
            const ThreadId first = api.create(increment);
            const ThreadId second = api.create(increment);
            api.join(first);
            api.join(second);
            api.check(api.read(api.var("x")) == 2, "x == 2");
        }};
        FiberExecution execution(program);
        const SearchResult result = explore(execution, {});
        REQUIRE(result.races.size() == 1);
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().message == "x == 2");
        SearchOptions bounded;
        bounded.granularity = Granularity::Operations;
        bounded.bound = 0;
        CHECK(explore(execution, bounded).findings.empty());
        bounded.bound = 1;
        CHECK(explore(execution, bounded).findings.size() == 1);
    }

    TEST_CASE("a lock that is tried somewhere is seen while it is held") {
        const FiberProgram program{[](Api& api) {
            api.trusted([&] {
                api.create([&api] {
                    const Mutex m = api.mutex("m");
                    api.lock(m);
                    api.unlock(m);
                });
                api.create([&api] {
                    const Mutex m = api.mutex("m");
                    const int got = api.trylock(m);
                    api.check(got != EBUSY, "never busy");
                    api.unlock(m);
                });
            });
        }};
        FiberExecution execution(program);
        const SearchResult result = explore(execution, {});
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings.front().message == "never busy");
    }

    TEST_CASE("who detaches a thread can see that it was joined, though more is joined in the same block") {
        const FiberProgram program{[](Api& api) {
            const ThreadId first = api.create([] {});
            const ThreadId second = api.create([&api, first] { api.detach(first); });
            api.join(first);
            api.join(second);
        }};
        const auto misuses = [&](const SearchOptions& options) {
            FiberExecution execution(program);
            std::set<Misuse> found;
            for (const Finding& finding : explore(execution, options).findings) {
                found.insert(finding.misuse.value());
            }
            return found;
        };
        SearchOptions by_operations;
        by_operations.granularity = Granularity::Operations;
        by_operations.pruning = Pruning::None;
        const std::set<Misuse> all = misuses(by_operations);
        CHECK(all == std::set<Misuse>{Misuse::JoinDetached, Misuse::JoinTwice});
        CHECK(misuses({}) == all);
    }

    TEST_CASE("who joins a thread can see that another one has joined it, whatever that one does next") {
        const FiberProgram program{[](Api& api) {
            const Spin s = api.spin("s");
            const ThreadId first = api.create([] {});
            api.create([&api, s, first] {
                api.spin_lock(s);
                api.join(first);
                // Ends with the lock held, which ends the process.
            });
            api.join(first);
        }};
        FiberExecution execution(program);
        std::set<std::pair<Misuse, ThreadId>> found;
        for (const Finding& finding : explore(execution, {}).findings) {
            found.emplace(finding.misuse.value(), finding.thread);
        }
        CHECK(found.contains({Misuse::JoinTwice, main_thread}));
        CHECK(found.size() == 3);
    }

    TEST_CASE("a join that can be cancelled tells whether the thread has ended") {
        const FiberProgram at_once{[](Api& api) {
            const ThreadId other = api.create([&api] { api.cancel(main_thread); });
            api.join(other);
            api.record(1);
        }};
        const FiberProgram behind_a_barrier{[](Api& api) {
            const Barrier b = api.barrier("b", 2);
            const ThreadId other = api.create([&api, b] {
                api.cancel(main_thread);
                api.record(api.barrier_wait(b));
            });
            api.barrier_wait(b);
            api.join(other);
            api.record(1);
        }};
        const auto states = [](const FiberProgram& program, Pruning pruning) {
            FiberExecution execution(program);
            Collected collected(execution);
            SearchOptions options;
            options.pruning = pruning;
            CHECK(explore(execution, options, &collected).gaps.empty());
            return collected.states;
        };
        for (const Pruning pruning : {Pruning::None, Pruning::ReadWrite}) {
            CHECK(states(at_once, pruning).size() == 2);
            // Each of the two can be the last at the barrier.
            CHECK(states(behind_a_barrier, pruning).size() == 4);
        }
    }

    TEST_CASE("a bounded search finds a bug at its number of preemptions and claims the bound before it") {
        // T1 must be interrupted twice in its two regions.
        const FiberProgram program{[](Api& api) {
            api.trusted([&] {
                const auto region = [&api](const char* mine, int expected, const char* theirs, int value) {
                    const Mutex m = api.mutex("m");
                    api.lock(m);
                    const bool fits = api.read(api.var(mine)) == expected;
                    if (fits) {
                        api.write(api.var(theirs), value);
                    }
                    api.unlock(m);
                    return fits;
                };
                api.create([&api, region] {
                    region("y", 0, "x", 1);
                    const bool once = region("y", 1, "x", 2);
                    const bool twice = region("y", 2, "x", 3);
                    api.check(!(once && twice), "interrupted twice");
                });
                api.create([region] {
                    region("x", 1, "y", 1);
                    region("x", 2, "y", 2);
                });
            });
        }};
        FiberExecution execution(program);
        SearchOptions options;
        options.granularity = Granularity::Operations;
        options.bound = 2;
        Collected collected(execution);
        const SearchResult two = explore(execution, options, &collected);
        CHECK(two.findings.empty());
        CHECK(two.finished_bound == 2U);
        CHECK_FALSE(two.bound_left_nothing);
        CHECK(two.claim().starts_with("complete: all schedules with at most 2 preemptions"));
        CHECK(collected.distinct.size() == collected.schedules);
        options.bound = 3;  // T1, T2, T1, T2, T1
        const SearchResult three = explore(execution, options);
        REQUIRE(three.findings.size() == 1);
        CHECK(three.findings.front().preemptions == 3);
    }
}

}  // namespace coopcheck::testing
