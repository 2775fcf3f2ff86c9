#include "explorer/follow_free.hpp"

#include <doctest/doctest.h>

#include "explorer/explore.hpp"
#include "explorer/free_search.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

/// Written as a free run would record it.
class Recording {
  public:
    Recording& add(const std::string& thread, OpKind kind, const std::string& object = "",
                   const std::string& mutex = "") {
        FreeOperation made;
        made.thread = id_of(thread);
        made.operation.kind = kind;
        if (!object.empty()) made.operation.object = names.objects.intern(object);
        if (!mutex.empty()) made.operation.mutex = names.objects.intern(mutex);
        operations.push_back(made);
        return *this;
    }

    std::vector<FreeOperation> operations;
    Names names;

  private:
    ThreadId id_of(const std::string& thread) {
        // In another order than the execution names them.
        if (thread == "T0") return main_thread;
        names.threads.child(main_thread, 2);
        return names.threads.child(main_thread, thread == "T0.1" ? 1 : 2);
    }
};

using enum OpKind;

/// Both threads take both locks, the second one in the other order.
FiberProgram two_orders() {
    return {[](Api& api) {
        const auto nest = [&api](const char* outer, const char* inner) {
            api.lock(api.mutex(outer));
            api.lock(api.mutex(inner));
            api.unlock(api.mutex(inner));
            api.unlock(api.mutex(outer));
        };
        api.create([nest] { nest("a", "b"); });
        api.create([nest] { nest("b", "a"); });
    }};
}

Recording started() {
    Recording recording;
    recording.add("T0", ThreadCreate).add("T0", ThreadCreate).add("T0.1", ThreadStart);
    recording.add("T0.2", ThreadStart);
    return recording;
}

}  // namespace

TEST_SUITE("noise") {
    TEST_CASE("following a free run into a deadlock finds it") {
        Recording recording = started();
        recording.add("T0.1", MutexLock).add("T0.2", MutexLock).add("T0.1", MutexLock).add("T0.2", MutexLock);
        FiberExecution execution(two_orders());
        const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
        REQUIRE(followed.finding);
        CHECK(followed.finding->kind == FindingKind::Deadlock);
        CHECK(followed.finding->is_cycle);
        CHECK(followed.skipped == 0);
    }

    TEST_CASE("following a free run that ended well finds nothing") {
        Recording recording = started();
        for (const char* thread : {"T0.1", "T0.2"}) {
            for (const OpKind kind : {MutexLock, MutexLock, MutexUnlock, MutexUnlock, ThreadExit})
                recording.add(thread, kind);
        }
        FiberExecution execution(two_orders());
        const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
        CHECK_FALSE(followed.finding);
        CHECK(followed.made == recording.operations.size());
    }

    TEST_CASE("a lock goes to the thread that comes to its next operation first, not to who asked first") {
        for (const bool second_is_served_first : {false, true}) {
            std::vector<int> order;
            FiberExecution execution(FiberProgram{[&order](Api& api) {
                const auto note = [&api, &order](int who) {
                    api.lock(api.mutex("a"));
                    order.push_back(who);
                    api.unlock(api.mutex("a"));
                };
                order.clear();
                api.lock(api.mutex("a"));
                api.create([note] { note(1); });
                api.create([note] { note(2); });
                api.unlock(api.mutex("a"));
            }});
            // Both ask while main has it.
            Recording recording;
            recording.add("T0", MutexLock).add("T0", ThreadCreate).add("T0", ThreadCreate);
            recording.add("T0.1", ThreadStart).add("T0.2", ThreadStart);
            recording.add("T0.1", MutexLock, "a").add("T0.2", MutexLock, "a").add("T0", MutexUnlock, "a");
            recording.add(second_is_served_first ? "T0.2" : "T0.1", MutexUnlock, "a");
            recording.add(second_is_served_first ? "T0.1" : "T0.2", MutexUnlock, "a");
            const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
            CHECK_FALSE(followed.finding);
            CHECK(followed.skipped == 0);
            CHECK(order == (second_is_served_first ? std::vector<int>{2, 1} : std::vector<int>{1, 2}));
        }
    }

    TEST_CASE("a thread that was let go first and still came too late is followed as it happened") {
        // T0.1 is let go to its second lock before T0.2 is to its first, the same; but it is T0.2 that is
        // seen again.
        Recording recording = started();
        recording.add("T0.1", MutexLock, "a").add("T0.1", MutexLock, "b");
        recording.add("T0.2", MutexLock, "b").add("T0.2", MutexLock, "a");
        FiberExecution execution(two_orders());
        const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
        REQUIRE(followed.finding);
        CHECK(followed.finding->kind == FindingKind::Deadlock);
    }

    TEST_CASE("a signal goes to the thread that is seen again first") {
        for (const bool second_is_woken : {false, true}) {
            std::vector<int> order;
            FiberExecution execution(FiberProgram{[&order](Api& api) {
                const auto note = [&api, &order](int who) {
                    api.lock(api.mutex("a"));
                    api.wait(api.condition("c"), api.mutex("a"));
                    order.push_back(who);
                    api.unlock(api.mutex("a"));
                };
                order.clear();
                api.create([note] { note(1); });
                api.create([note] { note(2); });
                api.signal(api.condition("c"));
                api.signal(api.condition("c"));
            }});
            Recording recording = started();
            for (const char* thread : {"T0.1", "T0.2"})
                recording.add(thread, MutexLock, "a").add(thread, CondWait, "c", "a");
            recording.add("T0", CondSignal, "c");
            recording.add(second_is_woken ? "T0.2" : "T0.1", MutexUnlock, "a");
            recording.add("T0", CondSignal, "c");
            recording.add(second_is_woken ? "T0.1" : "T0.2", MutexUnlock, "a");
            const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
            CHECK_FALSE(followed.finding);
            CHECK(followed.skipped == 0);
            CHECK(order == (second_is_woken ? std::vector<int>{2, 1} : std::vector<int>{1, 2}));
        }
    }

    TEST_CASE("who waits for a mutex after a signal gets it before another if it is seen again before it") {
        for (const bool waiter_is_served_first : {false, true}) {
            std::vector<int> order;
            FiberExecution execution(FiberProgram{[&order](Api& api) {
                order.clear();
                api.create([&api, &order] {
                    api.lock(api.mutex("a"));
                    api.wait(api.condition("c"), api.mutex("a"));
                    order.push_back(1);
                    api.unlock(api.mutex("a"));
                });
                api.create([&api, &order] {
                    api.signal(api.condition("c"));
                    api.lock(api.mutex("a"));
                    order.push_back(2);
                    api.unlock(api.mutex("a"));
                });
            }});
            Recording recording = started();
            recording.add("T0.1", MutexLock, "a").add("T0.1", CondWait, "c", "a");
            // The second thread is let go to its lock before the first is heard of again.
            recording.add("T0.2", CondSignal, "c").add("T0.2", MutexLock, "a");
            recording.add(waiter_is_served_first ? "T0.1" : "T0.2", MutexUnlock, "a");
            recording.add(waiter_is_served_first ? "T0.2" : "T0.1", MutexUnlock, "a");
            const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
            CHECK_FALSE(followed.finding);
            CHECK(followed.skipped == 0);
            CHECK(order == (waiter_is_served_first ? std::vector<int>{1, 2} : std::vector<int>{2, 1}));
        }
    }

    TEST_CASE("what following does not lead to is searched for") {
        // Only a switch between the accesses of the first thread, of which nothing is recorded, shows it.
        FiberExecution execution(FiberProgram{[](Api& api) {
            const auto add = [&api] {
                const std::int64_t value = api.read(api.var("x"));
                api.write(api.var("x"), value + 1);
            };
            const auto first = api.create(add);
            const auto second = api.create(add);
            api.join(first);
            api.join(second);
            api.check(api.read(api.var("x")) == 2, "both were counted");
        }});
        const SearchResult searched = explore(execution, {});
        REQUIRE(searched.findings.size() == 1);
        FreeOutcome outcome;
        outcome.end = RunEnd{.kind = RunEnd::Kind::Failed,
                             .failure = searched.findings.front().kind,
                             .message = searched.findings.front().message};
        const Recording recording = started();
        for (const bool search : {false, true}) {
            Coverage coverage([](std::uint64_t) { return std::string("f"); });
            Reproduction how{.execution = execution, .names = recording.names, .judge = {}};
            if (search) how.search.emplace();
            const FreeSearchResult result = search_with_noise([&](const DecideNoise&) { return outcome; }, {},
                                                              coverage, {.runs = 1}, how);
            REQUIRE(result.failures.size() == 1);
            CHECK(result.failures.front().reproduced.has_value() == search);
            CHECK(result.findings.size() == (search ? 1 : 0));
            const char* words = search ? "found again under control by a search" : "not reproduced";
            CHECK(result.claim().find(words) != std::string::npos);
        }
    }

    TEST_CASE("a recording that does not fit is followed by its order of threads") {
        Recording recording = started();
        recording.add("T0.1", SemPost).add("T0.2", CondWait).add("T0.1", BarrierWait).add("T0.2", ThreadExit);
        FiberExecution execution(two_orders());
        const Followed followed = follow_free_run(execution, recording.operations, recording.names, {});
        // The first lock of each: with the second of these they wait for each other.
        CHECK(followed.made == 6);
        REQUIRE(followed.finding);
        CHECK(followed.finding->kind == FindingKind::Deadlock);
    }
}

}  // namespace coopcheck::testing
