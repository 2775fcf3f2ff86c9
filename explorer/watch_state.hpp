#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "core/finding.hpp"
#include "core/location.hpp"

namespace coopcheck {

/// What a RaceWatch has seen, for one that goes on in another process. A plain value.
struct WatchState {
    std::size_t paths = 0;
    std::size_t watched = 0;
    /// How many were watched, by number of preemptions.
    std::map<unsigned, unsigned> watched_with;
    /// The places of preemptions in those: where a thread had been, and where another one went on.
    std::map<std::uint64_t, std::set<std::uint64_t>> switches;
    std::size_t search_cost = 0;
    std::size_t watch_cost = 0;
    std::set<Location> visible;
    std::vector<Finding> races;
};

}  // namespace coopcheck
