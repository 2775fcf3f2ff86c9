#pragma once

#include <cstdint>

namespace coopcheck {

/// Deliberate mistakes in the search. The product is built without them: there fault() is a constant
/// false. The mutation check builds this folder a second time with COOPCHECK_FAULTS, turns one on at a time
/// (by its number in the environment variable COOPCHECK_FAULT), and expects the tests to notice.
enum class Fault : std::uint8_t {
    None,
    ForgetOldEnabled,         ///< the pushed branch takes the enabled set of after the block
    KeepNoNotify,             ///< no_notify is not cleared after the choice it belongs to
    DropChoices,              ///< only the first waiter is ever signalled
    NeverReenableDelayed,     ///< a conflict does not re-enable a delayed thread
    FreeSwitchCosts,          ///< a switch away from a blocked thread counts as a preemption
    PreemptionIsFree,         ///< no switch counts as a preemption
    ForgetBlocked,            ///< a thread in a block set stays there when the lock is released
    OnlyWritesConflict,       ///< a read and a write do not conflict
    IgnoreTestedObjects,      ///< no block ends at the acquires of a lock that is tried somewhere
    NoBlockEndAtCreate,       ///< the child cannot run before what its parent does next
    DelayAtFreeSwitch,        ///< under a bound, one block's footprint delays a thread at a free switch
    IgnoreBlockedInBounds,    ///< under a bound, the operation a thread blocks on conflicts with nothing
    TrustNesting,             ///< releases out of nesting order and lock order cycles change nothing
    BelieveDelayed,           ///< a path that ends with delayed threads and waiting ones is a deadlock
    ForgetDelayedInBranch,    ///< the pushed branch does not delay the thread that ran
    SkipDeath,                ///< a thread that ends wakes nobody up
    ForgetPending,            ///< an operation that was never carried out races with nothing
    OnlyAdjacentRaces,        ///< where the latest conflict cannot be reversed, no earlier one is looked at
    KeepDeciders,             ///< an operation is asked for only with everything else in place
    SleepForever,             ///< a conflict wakes no sleeping move
    NeverSleep,               ///< what was explored does not sleep in the branches after it
    ForgetVariants,           ///< only the first variant of an operation is explored
    IgnoreWakeups,            ///< who is woken does not depend on who wakes
    EndIsIndependent,         ///< the end of the process conflicts with nothing
    AddsCommuteWithReads,     ///< a post and a look at the count are independent
    FirstMoveOnly,            ///< a reversal is given up after its first event
    WeakInitialsAreInitials,  ///< source sets take a thread for covering what it only does not disturb
    InsertWithoutSleep,       ///< a reversal is inserted though what sleeps covers it
    StayWhileOneCan,          ///< on record, leaving a thread that has yielded costs a preemption
    ForgetWhoseTurn,          ///< on record, whose turn it is makes no difference
    SameByNumber,             ///< on record, steps are the same whatever happened before them
    NothingIsBeyond,          ///< on record, what needs more preemptions is forgotten
    ForgetAccesses,           ///< with footprints of data, data are not looked at
    EverySectionIsPlain,      ///< with footprints of data, nested sections commute like others
    BelieveFirstToFind,       ///< of two parts of a search that find something, the quicker one is right
};

#ifdef COOPCHECK_FAULTS
Fault active_fault();
inline bool fault(Fault which) { return active_fault() == which; }
#else
constexpr bool fault(Fault /*which*/) { return false; }
#endif

}  // namespace coopcheck
