#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/execution.hpp"

namespace coopcheck {

/// A vector clock: how many releases of each thread are known.
class Clock {
  public:
    [[nodiscard]] std::uint32_t of(ThreadId thread) const {
        return thread.index() < times_.size() ? times_[thread.index()] : 0;
    }
    void tick(ThreadId thread);
    void join(const Clock& other);

  private:
    std::vector<std::uint32_t> times_;
};

/// Happens-before over the synchronization of one run: two conflicting accesses that it does not order are
/// a race, whatever their order in this schedule. A plain value, copied with each node.
class HappensBefore {
  public:
    /// What counts as synchronization.
    enum class Edges : std::uint8_t {
        All,
        WithoutLocks,  ///< a lock is taken in any order: that it ordered something in one run means little
    };
    HappensBefore() = default;
    explicit HappensBefore(Edges edges) : edges_(edges) {}

    /// Accounts for a step's operation; call before the accesses of the same step.
    void step(ThreadId thread, const StepResult& step);

    /// The earlier access that races with this one, if any.
    struct Race {
        ThreadId other;
        bool other_wrote = false;
    };
    std::optional<Race> access(ThreadId thread, const Access& access);

    /// An atomic access: it learns of all that was released there before, and a write releases.
    void synchronize(ThreadId thread, Location location, bool write);
    /// An inlined test whether a once is done.
    void see_once(ThreadId thread, ObjectId once) { acquire(thread, object(once).released); }

    /// For those who keep track of accesses themselves: the thread's own time, and whether what `other` did
    /// at `time` has happened before.
    [[nodiscard]] std::uint32_t time(ThreadId thread) { return clock(thread).of(thread); }
    [[nodiscard]] bool knows(ThreadId thread, ThreadId other, std::uint32_t time) {
        return clock(thread).of(other) >= time;
    }

  private:
    struct ObjectClocks {
        Clock released;       ///< everything released through the object
        Clock read_released;  ///< rwlock: what readers released; only writers learn of it
    };
    /// A thread that waits (condition, barrier, futex), and what those who woke it up had done. That is all
    /// it learns: what others release through the object later, before it runs again, does not reach it.
    struct Waiting {
        ObjectId object;
        bool woken = false;
        Clock by;
    };
    struct LastAccess {
        ThreadId thread;
        std::uint32_t time = 0;
        bool write = false;
    };

    Clock& clock(ThreadId thread);
    ObjectClocks& object(ObjectId object);
    void acquire(ThreadId thread, const Clock& from) { clock(thread).join(from); }
    void release(ThreadId thread, Clock& into);
    void wait(ThreadId thread, const StepResult& step);
    /// Hands what `from` knows to those that the step wakes up.
    void wake(const StepResult& step, const Clock& from);
    /// The second half of a wait is over.
    void resume(ThreadId thread, const StepResult& step);

    std::vector<Clock> threads_;
    std::vector<Clock> thread_ends_;
    std::map<ThreadId, Waiting> waiting_;
    Clock kernel_;
    std::vector<ObjectClocks> objects_;
    std::vector<bool> writes_rwlock_;  // by object index: the present holder holds for writing
    std::unordered_map<Location, std::vector<LastAccess>> accesses_;
    /// What was released by atomic writes.
    std::unordered_map<Location, Clock> atomics_;
    Edges edges_ = Edges::All;
};

}  // namespace coopcheck
