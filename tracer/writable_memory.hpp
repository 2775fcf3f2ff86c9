#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

struct MemoryRange {
    RemoteAddress start{};
    std::uint64_t size = 0;
};

/// A line of /proc/PID/maps.
struct MemoryMap {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    /// "rw-p"
    std::string permissions;
    /// A file, "[heap]", "[stack]" ..., or empty.
    std::string path;
};

[[nodiscard]] std::vector<MemoryMap> memory_maps(ProcessId process);

/// The mappings of a process that it can write to.
[[nodiscard]] std::vector<MemoryRange> writable_memory(ProcessId process);

/// A hash of what is in them; nothing if there is more than `most_bytes`.
[[nodiscard]] std::optional<std::uint64_t> hash_of(const std::vector<MemoryRange>& ranges,
                                                   const TargetMemory& memory, std::uint64_t most_bytes);

}  // namespace coopcheck::tracer
