#pragma once

#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "explorer/monitors.hpp"

namespace coopcheck {

/// A cycle of threads through `start`, each parked at an operation that the next one has to make possible.
/// Real, and for ever: none of the operations has a time limit.
[[nodiscard]] std::optional<std::vector<Wait>> find_wait_cycle(const Execution& execution, ThreadId start);

/// One thread of a predicted deadlock: it would have to stop just before taking `lock`.
struct ChainLink {
    ThreadId thread;
    ObjectId lock;
    /// The number of steps of the run when the thread took the lock; nothing for the thread that failed
    /// to take its lock just now.
    std::optional<std::size_t> taken_at;
};

/// Reverse lock chain analysis (section 6.1 of the paper): `thread` cannot carry out `operation` because
/// somebody holds its lock. Follows owner, the owner's last lock, that lock's owner, ... A chain that comes
/// back to `thread` is a deadlock that would happen if the others had not yet taken their last locks. Sharper
/// than the paper in one point: a last lock counts only if it was taken inside the lock that the chain
/// arrived by.
[[nodiscard]] std::optional<std::vector<ChainLink>> reverse_lock_chain(const SyncModel& model,
                                                                       const Monitors& monitors,
                                                                       ThreadId thread,
                                                                       const Operation& operation);

/// All live threads with what they wait for: the picture of a state in which nobody can go on.
[[nodiscard]] std::vector<Wait> all_waits(const Execution& execution);

}  // namespace coopcheck
