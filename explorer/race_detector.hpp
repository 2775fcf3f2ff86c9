#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "core/race.hpp"
#include "explorer/happens_before.hpp"

namespace coopcheck {

/// Looks for races in one run whose accesses are all known, byte by byte. Two conflicting accesses that
/// nothing orders are a race. Two that are ordered only by locks, with no lock common to both, break the
/// locking discipline: in another order of the locks they may race (the hybrid of locksets and
/// happens-before; what Eraser's states forgive, initialization and handing over, is here what creation,
/// joins and signals order).
class RaceDetector {
  public:
    /// What a step has shown.
    struct Seen {
        std::vector<Race> races;
        /// Bytes of both accesses of those races.
        std::set<Location> racy;
        /// Bytes that more than one thread accesses atomically and that are no operations.
        std::set<Location> atomic;
        /// Bytes that a second thread has come to access, one of them writing.
        std::set<Location> shared;
    };

    /// `model` is the state after the step.
    void step(ThreadId thread, const StepResult& step, const SyncModel& model, Seen& seen);

  private:
    struct Lock {
        ObjectId object;
        bool for_writing = false;
    };
    struct Record {
        RaceSide side;
        std::vector<Lock> locks;
        std::uint32_t time = 0;
        std::uint32_t time_without_locks = 0;
    };
    using Entries = std::vector<std::size_t>;  // into records_: one for each thread and direction

    void access(ThreadId thread, const Access& access, const SyncModel& model, Seen& seen);
    void forget(const Access& access);
    void compare(const Record& earlier, const Record& now, std::uint64_t byte, Seen& seen);
    [[nodiscard]] static bool common_lock(const Record& left, const Record& right);

    HappensBefore all_{HappensBefore::Edges::All};
    HappensBefore without_locks_{HappensBefore::Edges::WithoutLocks};
    std::deque<Record> records_;
    std::map<std::uint64_t, Entries> bytes_;
    /// Pairs of places that are known, so that a loop does not report one race many times.
    std::set<std::tuple<std::uint64_t, std::uint64_t, bool>> told_;
    /// Who accessed a byte atomically first.
    std::map<std::uint64_t, ThreadId> atomic_;
};

}  // namespace coopcheck
