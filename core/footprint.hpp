#pragma once

#include <cstddef>
#include <vector>

#include "core/location.hpp"

namespace coopcheck {

/// A set of locations, each read or written.
/// Conflict: same location, at least one write; the world conflicts with everything.
class Footprint {
  public:
    struct Entry {
        Location location;
        bool write = false;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    void add(Location location, bool write);
    void add(const Footprint& other);
    void clear() { entries_.clear(); }

    [[nodiscard]] bool conflicts_with(const Footprint& other) const;
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    friend bool operator==(const Footprint&, const Footprint&) = default;

  private:
    [[nodiscard]] bool has_world() const;
    std::vector<Entry> entries_;  // sorted by location, one entry each
};

}  // namespace coopcheck
