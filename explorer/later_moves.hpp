#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "explorer/wakeup_tree.hpp"

// What a search for classes within a bound has to explore from a place, now and with more preemptions.

namespace coopcheck {

/// Explored with so many preemptions, not before.
struct LaterMove {
    Move move;
    unsigned preemptions = 0;
    /// What it was asked for by, and needed at least so many (Detour::key()). In the numbers of one process:
    /// it does not go to others.
    std::set<std::vector<std::uint32_t>> asked_by;
};

/// The one that a sequence can begin with, if there is one.
[[nodiscard]] std::vector<LaterMove>::iterator find_covering(std::vector<LaterMove>& later,
                                                             const std::vector<Move>& sequence);

/// A sequence that others have to go first by.
struct AskedSequence {
    const std::vector<Move>& moves;
    /// So many preemptions are needed; more than `bound` are not allowed now.
    unsigned needed = 0;
    unsigned bound = 0;
};

/// Has it explored from the place that `todo` and `later` are of, by a move that is there already if one
/// covers it. Whether `todo`, or what was explored, covers it has been looked at.
void ask_for(const AskedSequence& asked, WakeupTree& todo, std::vector<LaterMove>& later);

}  // namespace coopcheck
