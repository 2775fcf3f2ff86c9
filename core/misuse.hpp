#pragma once

#include <cstdint>
#include <string_view>

namespace coopcheck {

/// Uses of a primitive that POSIX leaves undefined, or that can only be mistakes.
enum class Misuse : std::uint8_t {
    UnlockByStranger,        ///< unlock of a lock the thread does not hold
    SelfDeadlock,            ///< lock of a lock the thread already holds and can never get again
    DestroyWhileInUse,       ///< destroy while held or waited on
    UseAfterDestroy,         ///< any operation on a destroyed object
    UseBeforeInit,           ///< any operation on an object that was never initialized
    WaitWithoutMutex,        ///< wait on a condition without holding the mutex
    TwoMutexesOneCondition,  ///< wait with another mutex than the threads already waiting
    BadSemaphoreValue,       ///< a semaphore started with a negative or too large value
    BadBarrierCount,         ///< a barrier for no thread
    ExitHoldingLock,         ///< a thread ends and nobody can ever unlock what it holds
    JoinDetached,            ///< join or detach of a detached thread
    JoinTwice,               ///< join or detach of a thread already joined
    OnceRecursion,           ///< a once routine that enters its own once
    ConsistentWithoutDeath,  ///< pthread_mutex_consistent on a mutex that is consistent
};

[[nodiscard]] std::string_view describe(Misuse misuse);

}  // namespace coopcheck
