#include "explorer/happens_before.hpp"

#include <doctest/doctest.h>

#include <cerrno>

namespace coopcheck::testing {
namespace {

constexpr ThreadId parent{0};
constexpr ThreadId child{1};
constexpr ThreadId third{2};
constexpr ObjectId object{0};
constexpr ObjectId mutex{1};
const Access read_x{Location::memory(0x1000), false, false, 0};
const Access write_x{Location::memory(0x1000), true, false, 0};

StepResult did(OpKind kind, int result = 0) {
    StepResult step;
    step.operation.kind = kind;
    step.operation.object = object;
    step.operation.mutex = mutex;
    step.outcome.result = result;
    return step;
}

StepResult did_to(OpKind kind, ThreadId thread) {
    StepResult step = did(kind);
    step.operation.thread = thread;
    return step;
}

}  // namespace

TEST_SUITE("happens before") {
    TEST_CASE("two unordered accesses race if one of them writes") {
        HappensBefore order;
        CHECK_FALSE(order.access(parent, read_x));
        CHECK_FALSE(order.access(child, read_x));
        const auto race = order.access(third, write_x);
        REQUIRE(race);
        CHECK_FALSE(race->other_wrote);
    }

    TEST_CASE("what a thread did before it created another is ordered, what it does after is not") {
        HappensBefore order;
        CHECK_FALSE(order.access(parent, write_x));
        order.step(parent, did_to(OpKind::ThreadCreate, child));
        CHECK_FALSE(order.access(child, write_x));
        CHECK(order.access(parent, write_x));
    }

    TEST_CASE("a join orders everything the thread did") {
        HappensBefore order;
        order.step(parent, did_to(OpKind::ThreadCreate, child));
        CHECK_FALSE(order.access(child, write_x));
        order.step(child, did(OpKind::ThreadExit));
        order.step(parent, did_to(OpKind::ThreadJoin, child));
        CHECK_FALSE(order.access(parent, write_x));
    }

    TEST_CASE("an unlock is ordered before the next lock") {
        for (const bool locked : {true, false}) {
            HappensBefore order;
            order.step(parent, did(OpKind::MutexLock));
            CHECK_FALSE(order.access(parent, write_x));
            order.step(parent, did(OpKind::MutexUnlock));
            order.step(child, did(OpKind::MutexTryLock, locked ? 0 : EBUSY));
            CHECK(order.access(child, write_x).has_value() == !locked);
        }
    }

    TEST_CASE("an access after the unlock is not ordered by it") {
        HappensBefore order;
        order.step(parent, did(OpKind::MutexUnlock));
        CHECK_FALSE(order.access(parent, write_x));
        order.step(child, did(OpKind::MutexLock));
        CHECK(order.access(child, write_x));
    }

    TEST_CASE("a reader's unlock is ordered before a writer's lock and not before another reader's") {
        HappensBefore order;
        order.step(parent, did(OpKind::RwReadLock));
        CHECK_FALSE(order.access(parent, write_x));
        order.step(parent, did(OpKind::RwUnlock));
        HappensBefore as_writer = order;
        as_writer.step(child, did(OpKind::RwWriteLock));
        CHECK_FALSE(as_writer.access(child, write_x));
        order.step(child, did(OpKind::RwReadLock));
        CHECK(order.access(child, write_x));
    }

    TEST_CASE("a signal is ordered before the wake-up, a post before the wait") {
        HappensBefore order;
        CHECK_FALSE(order.access(parent, write_x));
        HappensBefore by_semaphore = order;
        order.step(parent, did(OpKind::CondSignal));
        order.step(child, did(OpKind::CondResume));
        CHECK_FALSE(order.access(child, write_x));
        by_semaphore.step(parent, did(OpKind::SemPost));
        by_semaphore.step(child, did(OpKind::SemWait));
        CHECK_FALSE(by_semaphore.access(child, write_x));
    }

    TEST_CASE("a barrier orders what was done before it with what is done after it") {
        HappensBefore order;
        CHECK_FALSE(order.access(parent, write_x));
        StepResult arrives = did(OpKind::BarrierWait);
        arrives.outcome.parked_at = Operation{};
        order.step(parent, arrives);
        order.step(child, did(OpKind::BarrierWait, -1));
        CHECK_FALSE(order.access(child, write_x));
    }

    TEST_CASE("a thread that was woken learns nothing from a signal that comes before it runs again") {
        HappensBefore order;
        StepResult wait = did(OpKind::CondWait);
        wait.outcome.parked_at = wait.operation;
        order.step(child, wait);
        StepResult wakes = did(OpKind::CondSignal);
        wakes.variant = Variant::wake(child);
        wakes.outcome.released = true;
        CHECK_FALSE(order.access(parent, read_x));
        order.step(parent, wakes);
        CHECK_FALSE(order.access(third, read_x));
        order.step(third, did(OpKind::CondSignal));  // nobody is left to be woken
        order.step(child, did(OpKind::CondResume));
        const auto race = order.access(child, write_x);
        REQUIRE(race);
        CHECK(race->other == third);
    }
}

}  // namespace coopcheck::testing
