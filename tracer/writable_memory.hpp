#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

struct MemoryRange {
    RemoteAddress start{};
    std::uint64_t size = 0;
};

/// The mappings of a process that it can write to (/proc/PID/maps).
[[nodiscard]] std::vector<MemoryRange> writable_memory(ProcessId process);

/// A hash of what is in them; nothing if there is more than `most_bytes`.
[[nodiscard]] std::optional<std::uint64_t> hash_of(const std::vector<MemoryRange>& ranges,
                                                   const TargetMemory& memory, std::uint64_t most_bytes);

}  // namespace coopcheck::tracer
