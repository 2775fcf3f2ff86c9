#include "core/footprint.hpp"

#include <algorithm>

namespace coopcheck {

void Footprint::add(Location location, bool write) {
    const auto position =
        std::lower_bound(entries_.begin(), entries_.end(), location,
                         [](const Entry& entry, Location wanted) { return entry.location < wanted; });
    if (position != entries_.end() && position->location == location) {
        position->write = position->write || write;
    } else {
        entries_.insert(position, Entry{location, write});
    }
}

void Footprint::add(const Footprint& other) {
    for (const Entry& entry : other.entries_) {
        add(entry.location, entry.write);
    }
}

bool Footprint::has_world() const {
    // The world is the greatest location, so it can only stand at the end.
    return !entries_.empty() && entries_.back().location == Location::world();
}

bool Footprint::conflicts_with(const Footprint& other) const {
    if (has_world() || other.has_world()) {
        return true;
    }
    auto mine = entries_.begin();
    auto theirs = other.entries_.begin();
    while (mine != entries_.end() && theirs != other.entries_.end()) {
        if (mine->location < theirs->location) {
            ++mine;
        } else if (theirs->location < mine->location) {
            ++theirs;
        } else {
            if (mine->write || theirs->write) {
                return true;
            }
            ++mine;
            ++theirs;
        }
    }
    return false;
}

}  // namespace coopcheck
