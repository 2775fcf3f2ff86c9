#include "tracer/time_stamp.hpp"

#include <algorithm>
#include <array>

namespace coopcheck::tracer {

bool answer_time_stamp(user_regs_struct& registers, const TargetMemory& memory, VirtualClock& clock) {
    constexpr std::array rdtsc{std::byte{0x0f}, std::byte{0x31}};
    constexpr std::array rdtscp{std::byte{0x0f}, std::byte{0x01}, std::byte{0xf9}};
    std::array<std::byte, 3> code{};
    if (memory.read(RemoteAddress{registers.rip}, code)) return false;
    const bool is_rdtsc = std::equal(rdtsc.begin(), rdtsc.end(), code.begin());
    const bool is_rdtscp = code == rdtscp;
    if (!is_rdtsc && !is_rdtscp) return false;
    const timespec now = clock.look(CLOCK_MONOTONIC);
    const std::uint64_t ticks =
        static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    constexpr unsigned half = 32;
    registers.rax = ticks & UINT32_MAX;
    registers.rdx = ticks >> half;
    if (is_rdtscp) registers.rcx = 0;  // processor 0
    registers.rip += is_rdtsc ? rdtsc.size() : rdtscp.size();
    return true;
}

}  // namespace coopcheck::tracer
