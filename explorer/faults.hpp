#pragma once

#include <cstdint>

namespace coopcheck {

/// Deliberate mistakes in the search. The product is built without them: there fault() is a constant
/// false. The mutation check builds this folder a second time with COOPCHECK_FAULTS, turns one on at a time
/// (by its number in the environment variable COOPCHECK_FAULT), and expects the tests to notice.
enum class Fault : std::uint8_t {
    None,
    ForgetOldEnabled,       ///< the pushed branch takes the enabled set of after the block
    KeepNoNotify,           ///< no_notify is not cleared after the choice it belongs to
    DropChoices,            ///< only the first waiter is ever signalled
    NeverReenableDelayed,   ///< a conflict does not re-enable a delayed thread
    FreeSwitchCosts,        ///< a switch away from a blocked thread counts as a preemption
    PreemptionIsFree,       ///< no switch counts as a preemption
    ForgetBlocked,          ///< a thread in a block set stays there when the lock is released
    OnlyWritesConflict,     ///< a read and a write do not conflict
    IgnoreTestedObjects,    ///< no block ends at the acquires of a lock that is tried somewhere
    NoBlockEndAtCreate,     ///< the child cannot run before what its parent does next
    DelayAtFreeSwitch,      ///< under a bound, one block's footprint delays a thread at a free switch
    IgnoreBlockedInBounds,  ///< under a bound, the operation a thread blocks on conflicts with nothing
    TrustNesting,           ///< releases out of nesting order and lock order cycles change nothing
    BelieveDelayed,         ///< a path that ends with delayed threads and waiting ones is a deadlock
    ForgetDelayedInBranch,  ///< the pushed branch does not delay the thread that ran
    SkipDeath,              ///< a thread that ends wakes nobody up
};

#ifdef COOPCHECK_FAULTS
Fault active_fault();
inline bool fault(Fault which) { return active_fault() == which; }
#else
constexpr bool fault(Fault /*which*/) { return false; }
#endif

}  // namespace coopcheck
