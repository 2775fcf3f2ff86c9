#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/execution.hpp"
#include "core/sync_model.hpp"

namespace coopcheck {

/// Eraser's lockset check (Savage et al.): is there a lock that is held at every access to a location once
/// the location is shared? A plain value, copied with each node.
class Lockset {
  public:
    enum class State : std::uint8_t {
        Exclusive,       ///< touched by one thread only: initialization
        Shared,          ///< read by several threads since: no lock needed yet
        SharedModified,  ///< written while shared: a lock is needed
    };

    /// Records the access; true if it breaks the locking discipline. For a write only locks held for writing
    /// count, for a read also those held for reading.
    bool access(ThreadId thread, const Access& access, const SyncModel& model);

    [[nodiscard]] State state(Location location) const;

  private:
    struct Entry {
        State state = State::Exclusive;
        ThreadId first;
        std::vector<ObjectId> candidates;  // sorted
    };
    std::unordered_map<Location, Entry> entries_;
};

}  // namespace coopcheck
