#include "tracer/writable_memory.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>

namespace coopcheck::tracer {

std::vector<MemoryMap> memory_maps(ProcessId process) {
    std::vector<MemoryMap> all;
    std::ifstream maps("/proc/" + std::to_string(static_cast<pid_t>(process)) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        // 7ffff7d8a000-7ffff7d8e000 rw-p 001d3000 08:01 123  /lib/...
        std::istringstream words(line);
        MemoryMap map;
        char dash = 0;
        std::string offset;
        std::string device;
        std::string inode;
        words >> std::hex >> map.start >> dash >> map.end >> map.permissions >> offset >> device >> inode;
        if (!words) continue;
        std::getline(words >> std::ws, map.path);
        all.push_back(std::move(map));
    }
    return all;
}

std::vector<MemoryRange> writable_memory(ProcessId process) {
    std::vector<MemoryRange> ranges;
    for (const MemoryMap& map : memory_maps(process)) {
        if (map.permissions.size() > 1 && map.permissions[1] == 'w')
            ranges.push_back({RemoteAddress{map.start}, map.end - map.start});
    }
    return ranges;
}

std::optional<std::uint64_t> hash_of(const std::vector<MemoryRange>& ranges, const TargetMemory& memory,
                                     std::uint64_t most_bytes) {
    const auto total =
        std::accumulate(ranges.begin(), ranges.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const MemoryRange& range) { return sum + range.size; });
    if (total > most_bytes) return std::nullopt;
    std::uint64_t hash = 0;
    std::vector<std::byte> content;
    for (const MemoryRange& range : ranges) {
        content.resize(range.size);
        if (memory.read(range.start, content)) continue;  // a guard page, or a device
        const std::string_view bytes(reinterpret_cast<const char*>(content.data()), content.size());
        hash = hash * 31 + std::hash<std::string_view>{}(bytes);
    }
    return hash;
}

}  // namespace coopcheck::tracer
