// Partial-order reduction against all classes of equivalent runs of random programs.
#include "tests/explorer/classes.hpp"

#include <doctest/doctest.h>

#include <cstddef>

#include "tests/explorer/comparison.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/generator.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::size_t programs = amount(60);

void compare_all(bool optimal) {
    std::size_t classes = 0;
    for (const Shape& shape : families()) {
        if (shape.has_endless_schedules()) {
            continue;  // without fairness they have no end, and with it no classes
        }
        const ClassTotals totals = compare_classes_of(shape, 1, programs, optimal);
        CHECK_MESSAGE(totals.first_mismatch.empty(), totals.first_mismatch);
        CHECK(totals.too_large * 2 <= totals.compared);
        classes += totals.classes;
    }
    CHECK(classes > amount(10'000));  // a comparison of nothing would prove nothing
}

/// Both searches, on a program of which the classes can be enumerated.
void check(const FiberProgram& program, const ModelOptions& model = {}) {
    for (const bool optimal : {false, true}) {
        const ClassComparison result = compare_classes(program, model, optimal, 200'000);
        CHECK(!result.too_large);
        CHECK_MESSAGE(result.mismatch.empty(), (optimal ? "optimal: " : "source: "), result.mismatch);
    }
}

}  // namespace

TEST_SUITE("classes") {
    TEST_CASE("a writer goes before readers who need each other to leave") {
        // Whichever reader is inside, the writer has to wait for both: that it could have come before both is
        // seen only if both are taken out.
        check({[](Api& api) {
            const RwLock lock = api.rwlock("w");
            const Semaphore one = api.semaphore("one", 0);
            const Semaphore other = api.semaphore("other", 0);
            const auto reader = [&api, lock](Semaphore give, Semaphore take) {
                api.rdlock(lock);
                api.sem_post(give);
                api.sem_wait(take);
                api.rwunlock(lock);
            };
            api.create([=] { reader(one, other); });
            api.create([=] { reader(other, one); });
            api.create([&api, lock] {
                api.wrlock(lock);
                api.rwunlock(lock);
            });
        }});
    }

    TEST_CASE("a writer goes before readers who come when another one has left") {
        check({[](Api& api) {
            const RwLock lock = api.rwlock("w");
            api.rdlock(lock);
            for (int reader = 0; reader < 2; ++reader) {
                api.create([&api, lock] {
                    api.rdlock(lock);
                    api.rwunlock(lock);
                });
            }
            api.create([&api, lock] {
                api.wrlock(lock);
                api.rwunlock(lock);
            });
            api.rwunlock(lock);
        }});
    }

    TEST_CASE("the last spurious wake-up goes to a thread that is signalled when another one takes it") {
        check({[](Api& api) {
                  const Mutex mutex = api.mutex("m");
                  const Mutex mine = api.mutex("n");
                  const Condition one = api.condition("one");
                  const Condition other = api.condition("other");
                  api.create([=, &api] {
                      api.lock(mutex);
                      api.wait(one, mutex);
                      api.unlock(mutex);
                  });
                  api.create([=, &api] {
                      api.lock(mine);
                      api.wait(other, mine);
                      api.unlock(mine);
                  });
                  api.signal(one);
              }},
              {.explore_timeouts = false, .spurious_wakeups = 1});
    }

    TEST_CASE("a signal wakes each of the threads that wait, and choose returns each value") {
        check({[](Api& api) {
            const Mutex mutex = api.mutex("m");
            const Condition condition = api.condition("c");
            for (int waiter = 0; waiter < 2; ++waiter) {
                api.create([=, &api] {
                    api.lock(mutex);
                    api.wait(condition, mutex);
                    api.unlock(mutex);
                });
            }
            if (api.choose(2) == 1) {
                api.signal(condition);
            }
        }});
    }

    TEST_CASE("a wait that could be cancelled takes the last unit first") {
        check({[](Api& api) {
            const Semaphore units = api.semaphore("q", 1);
            const ThreadId waiter = api.create([=, &api] { api.sem_wait(units); });
            api.create([=, &api] { api.sem_wait(units); });
            api.cancel(waiter);
        }});
    }

    TEST_CASE("a lock that times out because nothing else can run could have been taken before") {
        check({[](Api& api) {
            const Mutex first = api.mutex("a");
            const Mutex second = api.mutex("b");
            api.create([=, &api] {
                api.lock(first);
                if (api.timedlock(second) == 0) {
                    api.unlock(second);
                }
                api.unlock(first);
            });
            api.lock(second);
            if (api.timedlock(first) == 0) {
                api.unlock(first);
            }
            api.unlock(second);
        }});
    }

    TEST_CASE("a broadcast wakes nobody who has timed out before it") {
        // What a thread does after its time limit has no order with a broadcast after it: to run both orders
        // would be in vain.
        check({[](Api& api) {
                  const Mutex mutex = api.mutex("m");
                  const Condition condition = api.condition("c");
                  api.create([=, &api] {
                      api.lock(mutex);
                      api.timedwait(condition, mutex);
                  });
                  api.create([=, &api] {
                      api.lock(mutex);
                      api.timedwait(condition, mutex);
                      api.unlock(mutex);
                  });
                  api.broadcast(condition);
              }},
              {.explore_timeouts = true, .spurious_wakeups = 0});
    }

    TEST_CASE("a wait that was cancelled could have taken the unit after another one was cancelled") {
        // Cancelled, the two waits have no order. One that takes the unit has an order with the other one.
        check({[](Api& api) {
            const Semaphore units = api.semaphore("q", 1);
            const ThreadId waiter = api.create([=, &api] {
                api.create([&api] { api.cancel(main_thread); });
                api.sem_wait(units);
            });
            api.cancel(waiter);
            api.sem_wait(units);
            api.sem_post(units);
        }});
    }

    TEST_CASE("a wait that was cancelled could have taken the unit after one that comes in another path") {
        check({[](Api& api) {
            const Semaphore units = api.semaphore("q", 1);
            api.create([&api] { api.cancel(main_thread); });
            const ThreadId waiter = api.create([=, &api] {
                if (api.choose(2) == 1) {
                    api.sem_wait(units);
                }
            });
            api.create([=, &api] { api.cancel(waiter); });
            api.sem_wait(units);
        }});
    }

    TEST_CASE("a wait that can time out and wake up spuriously does both, before and after others return") {
        for (const bool is_one_mutex : {false, true}) {
            check({[=](Api& api) {
                      const Mutex mutex = api.mutex("m");
                      const Mutex mine = is_one_mutex ? mutex : api.mutex("n");
                      const Condition one = api.condition("one");
                      const Condition other = api.condition("other");
                      api.create([=, &api] {
                          api.lock(mine);
                          api.timedwait(other, mine);
                          api.unlock(mine);
                      });
                      api.create([=, &api] {
                          api.lock(mutex);
                          api.timedwait(one, mutex);
                          api.unlock(mutex);
                      });
                      api.signal(one);
                      if (is_one_mutex) {
                          api.broadcast(other);
                      }
                  }},
                  {.explore_timeouts = true, .spurious_wakeups = 1});
        }
    }

    TEST_CASE("by their data, sections of a lock that somebody tries to take are ordered") {
        // The third thread finds the first one inside its section after it had one itself: the two sections
        // cannot be exchanged, though they touch nothing in common.
        const FiberProgram program{[](Api& api) {
            const Mutex one = api.mutex("one");
            const Mutex other = api.mutex("other");
            api.create([=, &api] {
                api.lock(other);
                api.unlock(other);
                api.lock(one);
                api.unlock(one);
            });
            api.create([=, &api] {
                const int result = api.trylock(one);
                api.record(result);
                if (result == 0) {
                    api.unlock(one);
                }
            });
            api.create([=, &api] {
                api.lock(other);
                api.unlock(other);
                api.record(api.trylock(other));
            });
        }};
        SearchOptions options;
        options.reduction = Reduction::Optimal;
        const Outcomes by_locks = search(program, {}, options).within.front();
        CHECK(by_locks.final_states.size() == 2);
        for (const Reduction reduction : {Reduction::Source, Reduction::Optimal}) {
            options.reduction = reduction;
            options.footprints = FootprintSource::Data;
            const Outcomes by_data = search(program, {}, options).within.front();
            CHECK(by_data.final_states == by_locks.final_states);
            CHECK(by_data.misuses == by_locks.misuses);
        }
    }

    TEST_CASE("by their data, what only locks have put in order is explored in both orders") {
        // The sections touch nothing in common; only the first thread's orders its write before the read.
        const FiberProgram program{[](Api& api) {
            const Mutex mutex = api.mutex("m");
            const Var x = api.var("x", 0);
            api.create([=, &api] {
                api.lock(mutex);
                api.record(api.read(x));
                api.unlock(mutex);
            });
            api.write(x, 1);
            api.lock(mutex);
            api.unlock(mutex);
        }};
        SearchOptions options;
        options.footprints = FootprintSource::Data;
        for (const Reduction reduction : {Reduction::Source, Reduction::Optimal}) {
            options.reduction = reduction;
            CHECK(search(program, {}, options).within.front().final_states.size() == 2);
        }
    }
}

TEST_SUITE("class brute force") {
    TEST_CASE("source sets run every class of every random program") { compare_all(false); }

    TEST_CASE("the optimal search runs every class of every random program exactly once") {
        compare_all(true);
    }
}

}  // namespace coopcheck::testing
