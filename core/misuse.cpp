#include "core/misuse.hpp"

#include "core/check.hpp"

namespace coopcheck {

std::string_view describe(Misuse misuse) {
    switch (misuse) {
        case Misuse::UnlockByStranger:
            return "unlock of a lock the thread does not hold";
        case Misuse::SelfDeadlock:
            return "lock of a lock the thread already holds";
        case Misuse::DestroyWhileInUse:
            return "destroyed while in use";
        case Misuse::UseAfterDestroy:
            return "used after it was destroyed";
        case Misuse::UseBeforeInit:
            return "used before it was initialized";
        case Misuse::WaitWithoutMutex:
            return "wait on a condition without holding its mutex";
        case Misuse::TwoMutexesOneCondition:
            return "wait on a condition with another mutex than the threads already waiting";
        case Misuse::BadSemaphoreValue:
            return "semaphore started with a negative or too large value";
        case Misuse::BadBarrierCount:
            return "barrier for no thread";
        case Misuse::ExitHoldingLock:
            return "thread ended holding a lock";
        case Misuse::JoinDetached:
            return "join or detach of a detached thread";
        case Misuse::JoinTwice:
            return "join or detach of a thread already joined";
        case Misuse::OnceRecursion:
            return "a once routine enters its own once";
        case Misuse::ConsistentWithoutDeath:
            return "pthread_mutex_consistent on a consistent mutex";
    }
    COOPCHECK_CHECK(false, "a misuse of no kind");
}

}  // namespace coopcheck
