// Numbers of classes that can be counted by hand.
#include <doctest/doctest.h>

#include <string>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

/// k threads that lock and unlock n times; one mutex for all, or each its own.
FiberProgram sections(int threads, int rounds, bool one_lock) {
    return {[=](Api& api) {
        std::vector<Mutex> mutexes;
        mutexes.reserve(static_cast<std::size_t>(threads));
        for (int thread = 0; thread < threads; ++thread) {
            mutexes.push_back(api.mutex("m" + std::to_string(thread)));
        }
        std::vector<ThreadId> all;
        for (int thread = 0; thread < threads; ++thread) {
            const Mutex mutex = mutexes[one_lock ? 0 : static_cast<std::size_t>(thread)];
            all.push_back(api.create([&api, mutex, rounds] {
                for (int round = 0; round < rounds; ++round) {
                    api.lock(mutex);
                    api.unlock(mutex);
                }
            }));
        }
        for (const ThreadId thread : all) {
            api.join(thread);
        }
    }};
}

/// N philosophers who take the fork with the lower number first, or their left one first.
FiberProgram philosophers(int count, bool in_order) {
    return {[=](Api& api) {
        std::vector<Mutex> forks;
        forks.reserve(static_cast<std::size_t>(count));
        for (int fork = 0; fork < count; ++fork) {
            forks.push_back(api.mutex("f" + std::to_string(fork)));
        }
        for (int seat = 0; seat < count; ++seat) {
            const int right = (seat + 1) % count;
            const bool swap = in_order && right < seat;
            const Mutex first = forks[static_cast<std::size_t>(swap ? right : seat)];
            const Mutex second = forks[static_cast<std::size_t>(swap ? seat : right)];
            api.create([&api, first, second] {
                api.lock(first);
                api.lock(second);
                api.unlock(second);
                api.unlock(first);
            });
        }
    }};
}

/// k threads that use one lock n times, for one variable or each for its own.
FiberProgram data_sections(int threads, int rounds, bool one_variable) {
    return {[=](Api& api) {
        const Mutex mutex = api.mutex("m");
        std::vector<Var> variables;
        variables.reserve(static_cast<std::size_t>(threads));
        for (int thread = 0; thread < threads; ++thread) {
            variables.push_back(api.var("x" + std::to_string(thread), 0));
        }
        for (int thread = 0; thread < threads; ++thread) {
            const Var variable = variables[one_variable ? 0 : static_cast<std::size_t>(thread)];
            api.create([&api, mutex, variable, rounds] {
                for (int round = 0; round < rounds; ++round) {
                    api.lock(mutex);
                    api.write(variable, api.read(variable) + 1);
                    api.unlock(mutex);
                }
            });
        }
    }};
}

SearchResult search(const FiberProgram& program, Reduction reduction,
                    FootprintSource footprints = FootprintSource::Locks) {
    FiberExecution execution(program);
    SearchOptions options;
    options.reduction = reduction;
    options.footprints = footprints;
    options.budget.schedules = 20'000;  // more than any of them has: a search that repeats itself is noticed
    return explore(execution, options);
}

std::size_t factorial(int n) {
    std::size_t product = 1;
    for (int factor = 2; factor <= n; ++factor) {
        product *= static_cast<std::size_t>(factor);
    }
    return product;
}

constexpr Reduction reductions[] = {Reduction::Source, Reduction::Optimal};

}  // namespace

TEST_SUITE("class counts") {
    TEST_CASE("k threads with n sections on one lock have (kn)!/(n!)^k classes") {
        for (int k = 1; k <= 4; ++k) {
            for (int n = 1; k * n <= 8; ++n) {
                std::size_t expected = factorial(k * n);
                for (int thread = 0; thread < k; ++thread) {
                    expected /= factorial(n);
                }
                for (const Reduction reduction : reductions) {
                    CAPTURE(k);
                    CAPTURE(n);
                    const SearchResult result = search(sections(k, n, true), reduction);
                    CHECK(result.counts.complete == expected);
                    if (reduction == Reduction::Optimal) {
                        CHECK(result.counts.paths() == expected);
                    }
                    CHECK(result.exhausted);
                    CHECK(result.gaps.empty());
                }
            }
        }
    }

    TEST_CASE("how much of a search is done is between nothing and all, and all at its end") {
        class Shares : public SearchListener {
          public:
            void path(const PathReport& report) override { all.push_back(report.explored); }
            std::vector<double> all;
        };
        for (const Reduction reduction : reductions) {
            FiberExecution execution(sections(3, 2, true));
            SearchOptions options;
            options.reduction = reduction;
            Shares shares;
            CHECK(explore(execution, options, &shares).exhausted);
            REQUIRE(shares.all.size() >= 90);
            for (const double share : shares.all) {
                CHECK(share > 0);
                CHECK(share < 1 + 1e-9);
            }
            CHECK(shares.all.front() < 0.6);
            CHECK(shares.all.back() == doctest::Approx(1));
            // Every branch is as large as its neighbours here, nearly.
            CHECK(shares.all[shares.all.size() / 2] == doctest::Approx(0.5).epsilon(0.4));
        }
    }

    TEST_CASE("by their data, sections of one lock that touch nothing in common have one class") {
        for (int k = 1; k <= 4; ++k) {
            for (int n = 1; k * n <= 6; ++n) {
                CAPTURE(k);
                CAPTURE(n);
                std::size_t all = factorial(k * n);
                for (int thread = 0; thread < k; ++thread) {
                    all /= factorial(n);
                }
                for (const Reduction reduction : reductions) {
                    const SearchResult apart =
                        search(data_sections(k, n, false), reduction, FootprintSource::Data);
                    CHECK(apart.counts.complete == 1);
                    CHECK(apart.exhausted);
                    const SearchResult together =
                        search(data_sections(k, n, true), reduction, FootprintSource::Data);
                    CHECK(together.counts.complete == all);
                }
            }
        }
    }

    TEST_CASE("by their data, philosophers still deadlock") {
        for (int count = 2; count <= 4; ++count) {
            for (const Reduction reduction : reductions) {
                const SearchResult result =
                    search(philosophers(count, false), reduction, FootprintSource::Data);
                CHECK(result.findings.size() == 1);
                CHECK(result.counts.deadlocked > 0);
            }
        }
    }

    TEST_CASE("threads that do not meet have one class") {
        for (int k = 1; k <= 5; ++k) {
            for (const Reduction reduction : reductions) {
                const SearchResult result = search(sections(k, 5, false), reduction);
                CHECK(result.counts.complete == 1);
                CHECK(result.counts.paths() == 1);
            }
        }
    }

    TEST_CASE("philosophers who take their forks in order have 2^N - 2 classes") {
        // Each fork goes first to one or the other of its two neighbours, but not all to the left ones or all
        // to the right ones.
        for (int count = 2; count <= 7; ++count) {
            const SearchResult result = search(philosophers(count, true), Reduction::Optimal);
            // Two philosophers share both forks and differ only in who takes them first.
            CHECK(result.counts.complete == (std::size_t{1} << static_cast<unsigned>(count)) - 2);
            CHECK(result.counts.paths() == result.counts.complete);
            CHECK(result.findings.empty());
            CHECK(search(philosophers(count, true), Reduction::Source).counts.complete ==
                  result.counts.complete);
        }
    }

    TEST_CASE("philosophers who take their left forks first have one class that deadlocks") {
        for (int count = 2; count <= 6; ++count) {
            const SearchResult result = search(philosophers(count, false), Reduction::Optimal);
            CHECK(result.counts.complete == (std::size_t{1} << static_cast<unsigned>(count)) - 2);
            CHECK(result.counts.deadlocked == 1);
            CHECK(result.counts.redundant == 0);
            CHECK(result.findings.size() == 1);
        }
    }

    TEST_CASE("readers have one class, and a writer among n readers makes 2^n of it") {
        const auto readers_and_writer = [](int readers, bool writer) {
            return FiberProgram{[=](Api& api) {
                const RwLock lock = api.rwlock("w");
                for (int reader = 0; reader < readers; ++reader) {
                    api.create([&api, lock] {
                        api.rdlock(lock);
                        api.rwunlock(lock);
                    });
                }
                if (writer) {
                    api.wrlock(lock);
                    api.rwunlock(lock);
                }
            }};
        };
        for (int readers = 1; readers <= 6; ++readers) {
            CHECK(search(readers_and_writer(readers, false), Reduction::Optimal).counts.paths() == 1);
            CHECK(search(readers_and_writer(readers, true), Reduction::Optimal).counts.paths() ==
                  std::size_t{1} << static_cast<unsigned>(readers));
        }
    }

    TEST_CASE("posts have one class, whatever their order") {
        const FiberProgram program{[](Api& api) {
            const Semaphore semaphore = api.semaphore("q", 0);
            for (int thread = 0; thread < 5; ++thread) {
                api.create([&api, semaphore] { api.sem_post(semaphore); });
            }
        }};
        CHECK(search(program, Reduction::Optimal).counts.paths() == 1);
    }
}

}  // namespace coopcheck::testing
