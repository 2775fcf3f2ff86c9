#include "core/names.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"

using namespace coopcheck;

TEST_CASE("threads are named by parent and order of birth") {
    ThreadNames names;
    CHECK(names.name(main_thread) == "T0");
    const ThreadId first = names.child(main_thread, 1);
    const ThreadId grandchild = names.child(first, 2);
    CHECK(names.name(first) == "T0.1");
    CHECK(names.name(grandchild) == "T0.1.2");
    CHECK(names.size() == 3);
}

TEST_CASE("a thread has the same id in every schedule, whoever is born first") {
    ThreadNames names;
    const ThreadId second = names.child(main_thread, 2);
    const ThreadId first = names.child(main_thread, 1);
    CHECK(first != second);
    CHECK(names.child(main_thread, 1) == first);
    CHECK(names.child(main_thread, 2) == second);
    CHECK(names.size() == 3);
}

TEST_CASE("an object's name gives the same id again") {
    ObjectNames names;
    const ObjectId queue = names.intern("queue_mutex");
    const ObjectId heap = names.intern("T0.1 object 3");
    CHECK(queue != heap);
    CHECK(names.intern("queue_mutex") == queue);
    CHECK(names.name(queue) == "queue_mutex");
    CHECK(names.name(heap) == "T0.1 object 3");
    CHECK(names.size() == 2);
}

TEST_CASE("asking for the name of an id that was never given out is a bug of coopcheck") {
    const Names names;
    CHECK_THROWS_AS(static_cast<void>(names.threads.name(ThreadId{1})), InternalError);
    CHECK_THROWS_AS(static_cast<void>(names.objects.name(ObjectId{})), InternalError);
}

TEST_CASE("an id is invalid until it is given a number") {
    CHECK_FALSE(ThreadId{}.valid());
    CHECK(ThreadId{0}.valid());
    CHECK(ThreadId{1} < ThreadId{2});
}
