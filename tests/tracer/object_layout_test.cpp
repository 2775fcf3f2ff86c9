#include "tracer/object_layout.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <semaphore.h>

#include <span>

using namespace coopcheck;
using namespace coopcheck::tracer;

namespace {

template <typename Object>
std::optional<ObjectInit> decode(ObjectClass object_class, const Object& object) {
    return object_layout::decode(object_class, std::as_bytes(std::span(&object, 1)));
}

pthread_mutex_t made_with(int type, int robust) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return mutex;
}

}  // namespace

TEST_CASE("the kind of a mutex is read from what this machine's libc writes") {
    const auto kind = [](int type) {
        return decode(ObjectClass::Mutex, made_with(type, PTHREAD_MUTEX_STALLED)).value();
    };
    CHECK(kind(PTHREAD_MUTEX_NORMAL).mutex_kind == MutexKind::Normal);
    CHECK(kind(PTHREAD_MUTEX_ADAPTIVE_NP).mutex_kind == MutexKind::Normal);
    CHECK(kind(PTHREAD_MUTEX_RECURSIVE).mutex_kind == MutexKind::Recursive);
    CHECK(kind(PTHREAD_MUTEX_ERRORCHECK).mutex_kind == MutexKind::ErrorChecking);
    CHECK_FALSE(kind(PTHREAD_MUTEX_RECURSIVE).robust);
    CHECK(decode(ObjectClass::Mutex, made_with(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST)).value().robust);
    const pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
    CHECK(decode(ObjectClass::Mutex, plain).value().mutex_kind == MutexKind::Normal);
}

TEST_CASE("a destroyed mutex and a barrier of zeros were never initialized") {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_destroy(&mutex);
    CHECK_FALSE(decode(ObjectClass::Mutex, mutex));
    CHECK_FALSE(decode(ObjectClass::Barrier, pthread_barrier_t{}));
}

TEST_CASE("values and preferences are read from what this machine's libc writes") {
    sem_t semaphore;
    sem_init(&semaphore, 0, 42);
    CHECK(decode(ObjectClass::Semaphore, semaphore).value().value == 42);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 7);
    CHECK(decode(ObjectClass::Barrier, barrier).value().value == 7);
    pthread_rwlockattr_t attributes;
    pthread_rwlock_t lock;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlock_init(&lock, &attributes);
    CHECK(decode(ObjectClass::RwLock, lock).value().rw_policy == RwPolicy::PreferReader);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    CHECK(decode(ObjectClass::RwLock, lock).value().rw_policy == RwPolicy::PreferWriter);
}
