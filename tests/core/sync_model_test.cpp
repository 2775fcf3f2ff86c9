#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "core/check.hpp"
#include "tests/core/model_bench.hpp"

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

constexpr ObjectClass all_classes[] = {ObjectClass::Mutex,    ObjectClass::Condition, ObjectClass::RwLock,
                                       ObjectClass::SpinLock, ObjectClass::Semaphore, ObjectClass::Barrier,
                                       ObjectClass::Once,     ObjectClass::Futex};

bool is_second_half(OpKind kind) {
    return kind == OpKind::CondResume || kind == OpKind::BarrierResume || kind == OpKind::FutexResume;
}

}  // namespace

TEST_CASE("a new model knows main and no object") {
    const SyncModel model;
    CHECK(model.live(main_thread));
    CHECK_FALSE(model.live(t1));
    CHECK_FALSE(model.known(first));
    CHECK(model.held(main_thread).empty());
    CHECK_THROWS_AS(static_cast<void>(model.object(first)), InternalError);
    CHECK_THROWS_AS(static_cast<void>(model.thread(t1)), InternalError);
}

TEST_CASE("every operation on an object that was never initialized is a misuse and enabled") {
    for (const ObjectClass object_class : all_classes) {
        for (const OpKind kind : operations_on(object_class)) {
            if (is_second_half(kind)) {
                continue;  // never parked at without a first half
            }
            CAPTURE(name(kind));
            Bench bench;
            const Operation operation = with_value(on(kind, third), 1);
            CHECK(bench.enabled(t0, operation));
            CHECK(bench.options(t0, operation) == only_normal);
            CHECK(bench.run(t0, operation) == misused(Misuse::UseBeforeInit, EINVAL));
        }
    }
}

TEST_CASE("an object of no class is a bug of coopcheck") {
    SyncModel model;
    CHECK_THROWS_AS(model.init(first, {}), InternalError);
    CHECK_THROWS_AS(model.init(ObjectId{}, {.object_class = ObjectClass::Mutex}), InternalError);
}

TEST_CASE("initializing an object again starts its life afresh") {
    Bench bench;
    bench.make(first, ObjectClass::Semaphore, 5);
    bench.make(first, ObjectClass::Barrier, 2);
    CHECK(bench.model.object(first).object_class == ObjectClass::Barrier);
    CHECK(bench.model.object(first).count == 0);
}

TEST_CASE("choose offers as many values as asked for, and one at least") {
    Bench bench;
    const Operation choose = with_value(plain(OpKind::Choose), 3);
    CHECK(bench.options(t0, choose) ==
          std::vector{Variant::chosen(0), Variant::chosen(1), Variant::chosen(2)});
    CHECK(bench.run(t0, choose, Variant::chosen(2)) == error(2));
    CHECK(bench.options(t0, with_value(choose, 0)) == std::vector{Variant::chosen(0)});
}

TEST_CASE("operations without state of their own are enabled and change nothing") {
    Bench bench;
    const SyncModel before = bench.model;
    for (const OpKind kind : {OpKind::ThreadStart, OpKind::Sleep, OpKind::Yield, OpKind::Read, OpKind::Write,
                              OpKind::ReadWrite, OpKind::Output, OpKind::ProcessExit, OpKind::Failure}) {
        CAPTURE(name(kind));
        CHECK(bench.options(t0, plain(kind)) == only_normal);
        CHECK(bench.run(t0, plain(kind)) == done);
        CHECK(bench.model == before);
    }
}

TEST_CASE("a system call goes on when it is said to be ready; its time limit waits for earlier ones") {
    Bench bench;
    Operation call = plain(OpKind::SystemCall);
    CHECK(bench.options(t0, call).empty());
    CHECK_FALSE(bench.model.can_time_out(t0, call));
    CHECK(bench.options(t0, with_value(call, 1)) == only_normal);
    call.timed = true;
    CHECK(bench.model.can_time_out(t0, call));
    CHECK(bench.run(t0, call, Variant::timeout()) == error(ETIMEDOUT));
    call.outlasted = true;
    CHECK_FALSE(bench.model.can_time_out(t0, call));
}

TEST_CASE("a copy is independent of its original") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Normal);
    bench.make(second, ObjectClass::Semaphore, 1);
    bench.run(t0, OpKind::MutexLock, first);
    const SyncModel checkpoint = bench.model;
    const std::size_t hash = checkpoint.hash();
    bench.run(t0, OpKind::MutexUnlock, first);
    bench.run(t1, OpKind::SemWait, second);
    CHECK(checkpoint.object(first).owner == t0);
    CHECK(checkpoint.held(t0) == std::vector{first});
    CHECK(checkpoint.object(second).count == 1);
    CHECK(checkpoint.hash() == hash);
    CHECK_FALSE(checkpoint == bench.model);
    bench.model = checkpoint;
    CHECK(bench.run(t1, OpKind::MutexTryLock, first) == error(EBUSY));
}

TEST_CASE("a state that was left and reached again is equal and has the same hash") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Recursive);
    bench.make(second, ObjectClass::Condition);
    const SyncModel before = bench.model;
    bench.run(t1, OpKind::MutexLock, first);
    bench.run(t1, wait_on(second, first));
    CHECK_FALSE(bench.model == before);
    bench.run(t0, on(OpKind::CondSignal, second), Variant::wake(t1));
    bench.run(t1, resumed(wait_on(second, first), OpKind::CondResume));
    bench.run(t1, OpKind::MutexUnlock, first);
    CHECK(bench.model == before);
    CHECK(bench.model.hash() == before.hash());
    CHECK(std::hash<SyncModel>{}(bench.model) == before.hash());
}

TEST_CASE("independent operations lead to equal states in every order") {
    Bench start;
    start.make_mutex(first, MutexKind::Normal);
    start.make(second, ObjectClass::Semaphore, 1);
    start.make_rwlock(third, RwPolicy::PreferReader);
    std::vector<std::pair<ThreadId, Operation>> steps{{t0, on(OpKind::MutexLock, first)},
                                                      {t1, on(OpKind::SemWait, second)},
                                                      {t2, on(OpKind::RwReadLock, third)}};
    const auto by_thread = [](const auto& left, const auto& right) { return left.first < right.first; };
    std::vector<SyncModel> ends;
    do {
        Bench bench = start;
        for (const auto& [thread, operation] : steps) {
            CHECK(bench.run(thread, operation) == done);
        }
        ends.push_back(bench.model);
    } while (std::next_permutation(steps.begin(), steps.end(), by_thread));
    REQUIRE(ends.size() == 6);
    for (const SyncModel& end : ends) {
        CHECK(end == ends.front());
        CHECK(end.hash() == ends.front().hash());
    }
}

TEST_CASE("threads that begin to wait in another order make equal states") {
    Bench start;
    start.make(first, ObjectClass::Barrier, 3);
    start.make(second, ObjectClass::Futex);
    Bench one = start;
    Bench other = start;
    for (const ThreadId thread : {t0, t2}) {
        one.run(thread, OpKind::BarrierWait, first);
    }
    for (const ThreadId thread : {t2, t0}) {
        other.run(thread, OpKind::BarrierWait, first);
    }
    CHECK(one.model == other.model);
    CHECK(one.model.hash() == other.model.hash());
}

TEST_CASE("the order in which a thread took its locks is part of the state") {
    Bench start;
    start.make_mutex(first, MutexKind::Normal);
    start.make_mutex(second, MutexKind::Normal);
    Bench one = start;
    Bench other = start;
    one.run(t0, OpKind::MutexLock, first);
    one.run(t0, OpKind::MutexLock, second);
    other.run(t0, OpKind::MutexLock, second);
    other.run(t0, OpKind::MutexLock, first);
    CHECK_FALSE(one.model == other.model);
}

TEST_CASE("a timeout of an operation that does not wait is a bug of coopcheck") {
    Bench bench;
    bench.make_mutex(first, MutexKind::Normal);
    CHECK_THROWS_AS(bench.model.apply(t0, timed(on(OpKind::MutexLock, first)), Variant::timeout()),
                    InternalError);
}
