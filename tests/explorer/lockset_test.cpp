#include "explorer/lockset.hpp"

#include <doctest/doctest.h>

namespace coopcheck::testing {
namespace {

constexpr ThreadId other_thread{1};
constexpr ObjectId mutex_a{0};
constexpr ObjectId mutex_b{1};
constexpr ObjectId rwlock{2};
constexpr Location x = Location::memory(0x1000);

SyncModel model_with_locks() {
    SyncModel model;
    model.add_thread(other_thread);
    model.init(mutex_a, {.object_class = ObjectClass::Mutex});
    model.init(mutex_b, {.object_class = ObjectClass::Mutex});
    model.init(rwlock, {.object_class = ObjectClass::RwLock});
    return model;
}

void apply(SyncModel& model, ThreadId thread, OpKind kind, ObjectId object) {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    REQUIRE(model.apply(thread, operation, Variant::normal()).result == 0);
}

const Access read_x{x, false, false, 0};
const Access write_x{x, true, false, 0};

}  // namespace

TEST_SUITE("lockset") {
    TEST_CASE("the first thread may initialize without a lock") {
        const SyncModel model = model_with_locks();
        Lockset lockset;
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
        CHECK(lockset.state(x) == Lockset::State::Exclusive);
    }

    TEST_CASE("data that is only read after initialization needs no lock") {
        const SyncModel model = model_with_locks();
        Lockset lockset;
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
        CHECK_FALSE(lockset.access(other_thread, read_x, model));
        CHECK_FALSE(lockset.access(main_thread, read_x, model));
        CHECK(lockset.state(x) == Lockset::State::Shared);
    }

    TEST_CASE("a write to shared data without a lock breaks the discipline") {
        const SyncModel model = model_with_locks();
        Lockset lockset;
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
        CHECK(lockset.access(other_thread, write_x, model));
        CHECK(lockset.state(x) == Lockset::State::SharedModified);
    }

    TEST_CASE("different locks for the same data break the discipline at the third access") {
        SyncModel model = model_with_locks();
        Lockset lockset;
        apply(model, main_thread, OpKind::MutexLock, mutex_a);
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
        apply(model, other_thread, OpKind::MutexLock, mutex_b);
        CHECK_FALSE(lockset.access(other_thread, write_x, model));  // candidates: b
        CHECK(lockset.access(main_thread, write_x, model));         // a: nothing is left
    }

    TEST_CASE("one lock held at all accesses keeps the discipline whatever else is held") {
        SyncModel model = model_with_locks();
        Lockset lockset;
        apply(model, main_thread, OpKind::MutexLock, mutex_a);
        apply(model, main_thread, OpKind::MutexLock, mutex_b);
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
        apply(model, main_thread, OpKind::MutexUnlock, mutex_b);
        apply(model, main_thread, OpKind::MutexUnlock, mutex_a);
        apply(model, other_thread, OpKind::MutexLock, mutex_a);
        CHECK_FALSE(lockset.access(other_thread, write_x, model));
        apply(model, other_thread, OpKind::MutexUnlock, mutex_a);
        apply(model, main_thread, OpKind::MutexLock, mutex_a);
        CHECK_FALSE(lockset.access(main_thread, write_x, model));
    }

    TEST_CASE("a lock held for reading protects reads and not writes") {
        SyncModel model = model_with_locks();
        Lockset lockset;
        apply(model, main_thread, OpKind::RwReadLock, rwlock);
        apply(model, other_thread, OpKind::RwReadLock, rwlock);
        CHECK_FALSE(lockset.access(main_thread, read_x, model));
        CHECK_FALSE(lockset.access(other_thread, read_x, model));
        CHECK(lockset.access(other_thread, write_x, model));
    }
}

}  // namespace coopcheck::testing
