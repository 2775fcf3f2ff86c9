#include "tracer/writable_memory.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>

namespace coopcheck::tracer {

std::vector<MemoryRange> writable_memory(ProcessId process) {
    std::vector<MemoryRange> ranges;
    std::ifstream maps("/proc/" + std::to_string(static_cast<pid_t>(process)) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        // 7ffff7d8a000-7ffff7d8e000 rw-p 001d3000 08:01 123  /lib/...
        std::istringstream words(line);
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        char dash = 0;
        std::string protection;
        words >> std::hex >> start >> dash >> end >> protection;
        if (words && protection.size() > 1 && protection[1] == 'w')
            ranges.push_back({RemoteAddress{start}, end - start});
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
