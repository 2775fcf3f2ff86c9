#pragma once

#include <cstddef>
#include <vector>

#include "explorer/deadlock.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

/// Deadlocks that a run did not have and that its locks suggest: threads, each of which took a lock while it
/// held another one that the thread before it took, with nothing held in common that would keep them apart.
/// One run in which nobody waits shows a cycle of any length, which a search finds only where all of its
/// threads are interrupted. At most `most` of them. They may be impossible: confirm_deadlock() drives to
/// them.
///
/// Mutexes alone; those taken by trying are held, too, but nobody waits for them.
[[nodiscard]] std::vector<std::vector<ChainLink>> lock_order_cycles(const std::vector<StepRecord>& steps,
                                                                    std::size_t most);

}  // namespace coopcheck
