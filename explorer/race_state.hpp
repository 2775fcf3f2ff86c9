#pragma once

#include <optional>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "core/race.hpp"

namespace coopcheck {

/// A race where both threads are parked before their accesses: nothing can be between them, and either may
/// come first.

/// The race of these two threads; nothing unless both are parked before accesses to the same memory, one of
/// them a write, none atomic. Without a schedule.
[[nodiscard]] std::optional<Finding> race_of(const Execution& execution, ThreadId first, ThreadId second);

/// The race of any two threads that are parked before the accesses of `race`: the same two places in the
/// program, whoever is there.
[[nodiscard]] std::optional<Finding> race_in_state(const Execution& execution, const Race& race);

/// Where the bytes of both accesses are.
struct CommonBytes {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    [[nodiscard]] bool any() const { return start < end; }
};
[[nodiscard]] CommonBytes common_bytes(const Access& left, const Access& right);

}  // namespace coopcheck
