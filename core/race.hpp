#pragma once

#include <vector>

#include "core/execution.hpp"
#include "core/ids.hpp"

namespace coopcheck {

/// One of the two accesses of a race.
struct RaceSide {
    ThreadId thread;
    Access access;
    /// What the thread held.
    std::vector<ObjectId> locks;
};

/// Two accesses to the same memory by two threads, at least one a write.
struct Race {
    RaceSide first;
    RaceSide second;
    /// The program's synchronization happened to order them in this schedule, but no lock is common to them:
    /// the locking discipline is broken, and in another schedule they may be next to each other.
    bool ordered_here = false;
    /// The schedule of the finding ends where both threads are parked before their accesses; otherwise it was
    /// watched, and ends after the second one.
    bool side_by_side = false;
};

}  // namespace coopcheck
