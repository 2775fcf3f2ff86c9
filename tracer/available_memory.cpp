#include "tracer/available_memory.hpp"

#include <fstream>
#include <string>

namespace coopcheck::tracer {

std::optional<std::uint64_t> available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        if (word != "MemAvailable:") continue;
        constexpr std::uint64_t kilobyte = 1024;
        std::uint64_t kilobytes = 0;
        if (file >> kilobytes) return kilobytes * kilobyte;
    }
    return std::nullopt;
}

}  // namespace coopcheck::tracer
