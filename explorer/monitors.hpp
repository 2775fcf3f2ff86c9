#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/happens_before.hpp"
#include "explorer/lockset.hpp"

namespace coopcheck {

/// The lock a thread released last, for reverse lock chain analysis (section 6.1 of the paper).
struct LastLock {
    ObjectId lock;
    /// What the thread held when it took the lock: only those can be the outer locks of it.
    std::vector<ObjectId> held_outside;
    /// The number of steps the run had made when the lock was taken.
    std::size_t taken_at = 0;
};

/// What a thread holds beyond the locks that SyncModel lists, and what it held last.
struct ThreadHoldings {
    /// Semaphores waited for and not posted since, onces whose routine it runs; one entry for each unit.
    std::vector<ObjectId> others;
    LastLock last;
    /// Locks now held, with when and under what they were taken (a stack for properly nested locks).
    std::vector<LastLock> open;
    std::size_t steps = 0;
    bool at_limit = false;
};

/// Where sections of one lock are not run in both orders: what is ordered by locks alone, with no lock in
/// common, could have come the other way round. A plain value.
class OrderWithoutLocks {
  public:
    void step(ThreadId thread, const StepResult& step) { order_.step(thread, step); }
    /// True if the access and another one before are ordered by nothing, or by locks alone of which no access
    /// to the location so far has had one in common with all others.
    bool access(ThreadId thread, const Access& access, const SyncModel& model);

  private:
    HappensBefore order_{HappensBefore::Edges::WithoutLocks};
    std::map<Location, std::vector<ObjectId>> locks_;
};

/// Everything that watches a run and has to be put back when the search goes back: a plain value.
struct Monitors {
    std::vector<ThreadHoldings> threads;
    Lockset lockset;
    HappensBefore happens_before;
    /// With footprints of data.
    std::optional<OrderWithoutLocks> without_locks;
    std::size_t steps = 0;

    ThreadHoldings& of(ThreadId thread) {
        if (threads.size() <= thread.index()) {
            threads.resize(thread.index() + 1);
        }
        return threads[thread.index()];
    }
    [[nodiscard]] const ThreadHoldings& of(ThreadId thread) const {
        static const ThreadHoldings nothing;
        return thread.index() < threads.size() ? threads[thread.index()] : nothing;
    }
    [[nodiscard]] bool at_limit(ThreadId thread) const { return of(thread).at_limit; }

    /// Accounts for the operation of a step (not for its accesses). `model` is the state after it.
    void step(ThreadId thread, const StepResult& step, const SyncModel& model);
};

/// True if the thread holds anything (a lock, a semaphore's unit, a once) besides `except`.
[[nodiscard]] bool holds_something(ThreadId thread, const Monitors& monitors, const SyncModel& model,
                                   ObjectId except);

}  // namespace coopcheck
