#include <doctest/doctest.h>

#include <cerrno>

#include "tests/core/glibc_script.hpp"

// SyncModel against the glibc the tests run with: the same calls give the same results.

using namespace coopcheck;
using enum OpKind;

namespace {

/// Runs that many scripts and returns the results met, without the values of semaphores.
GlibcScript::Results run_scripts(std::uint64_t seed, int scripts, std::uint32_t workers, int attempts) {
    RandomSource random(seed);
    GlibcScript::Results results;
    long compared = 0;
    for (int number = 0; number < scripts; ++number) {
        CAPTURE(number);
        GlibcScript script(random, workers, results);
        script.run(attempts);
        compared += script.compared();
    }
    CHECK(compared > 10L * scripts);
    std::erase_if(results, [](const auto& seen) { return seen.first == SemGetValue; });
    return results;
}

/// What one thread alone can get.
const GlibcScript::Results of_one_thread{
    {ThreadJoin, EDEADLK},
    {ThreadTryJoin, EBUSY},
    {MutexLock, 0},
    {MutexLock, EDEADLK},
    {MutexLock, ETIMEDOUT},
    {MutexTryLock, 0},
    {MutexTryLock, EBUSY},
    {MutexTryLock, EDEADLK},
    {MutexUnlock, 0},
    {MutexUnlock, EPERM},
    {MutexConsistent, EINVAL},
    {MutexDestroy, 0},
    {MutexDestroy, EBUSY},
    {CondWait, EPERM},
    {CondWait, ETIMEDOUT},
    {CondSignal, 0},
    {CondBroadcast, 0},
    {CondDestroy, 0},
    {RwReadLock, 0},
    {RwReadLock, EDEADLK},
    {RwTryReadLock, 0},
    {RwTryReadLock, EBUSY},
    {RwWriteLock, 0},
    {RwWriteLock, EDEADLK},
    {RwWriteLock, ETIMEDOUT},
    {RwTryWriteLock, 0},
    {RwTryWriteLock, EBUSY},
    {RwUnlock, 0},
    {RwDestroy, 0},
    {SpinLock, 0},
    {SpinTryLock, 0},
    {SpinTryLock, EBUSY},
    {SpinUnlock, 0},
    {SpinDestroy, 0},
    {SemWait, 0},
    {SemWait, ETIMEDOUT},
    {SemTryWait, 0},
    {SemTryWait, EAGAIN},
    {SemPost, 0},
    {SemPost, EOVERFLOW},
    {SemDestroy, 0},
    {BarrierWait, PTHREAD_BARRIER_SERIAL_THREAD},
    {BarrierDestroy, 0},
    {OnceEnter, NativeObjects::once_was_done},
    {OnceEnter, NativeObjects::once_ran},
    {OnceEnter, NativeObjects::once_threw},
};

/// What takes a second thread: one that lives, ends, holds, dies holding, signals or arrives.
const GlibcScript::Results of_several_threads{
    {ThreadJoin, 0},
    {ThreadJoin, EINVAL},
    {ThreadJoin, ETIMEDOUT},
    {ThreadTryJoin, 0},
    {ThreadDetach, 0},
    {ThreadDetach, EINVAL},
    {MutexLock, EOWNERDEAD},
    {MutexLock, ENOTRECOVERABLE},
    {MutexTryLock, EOWNERDEAD},
    {MutexTryLock, ENOTRECOVERABLE},
    {MutexUnlock, ENOTRECOVERABLE},
    {MutexConsistent, 0},
    {CondWait, 0},
    {CondWait, EOWNERDEAD},
    {CondWait, ENOTRECOVERABLE},
    {RwReadLock, ETIMEDOUT},
    {BarrierWait, 0},
};

}  // namespace

TEST_CASE("one thread gets the same results from the model and from glibc") {
    CHECK(run_scripts(1, 5000, 0, 40) == of_one_thread);
}

TEST_CASE("several threads get the same results from the model and from glibc") {
    GlibcScript::Results expected = of_one_thread;
    expected.insert(of_several_threads.begin(), of_several_threads.end());
    CHECK(run_scripts(2, 1500, 2, 50) == expected);
}
