#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace coopcheck::tracer {

/// Nanoseconds since the program was started, as far as the program can tell.
using VirtualTime = std::int64_t;

/// Time that passes only when something happens: a little with every look at a clock, so that a loop that
/// waits for the time to come ends, and as much as needed when a sleep or a time limit is over. A plain
/// value.
class VirtualClock {
  public:
    [[nodiscard]] VirtualTime now() const { return now_; }
    void advance_to(VirtualTime time) { now_ = std::max(now_, time); }

    /// What a clock of the kernel shows.
    [[nodiscard]] timespec look(clockid_t clock) {
        now_ += look_cost;
        return to_timespec(now_ + offset(clock));
    }

    /// When an absolute time of one of the kernel's clocks is. CLOCK_REALTIME and CLOCK_MONOTONIC are so far
    /// apart here that the time itself tells which one is meant.
    [[nodiscard]] static VirtualTime from_absolute(const timespec& time) {
        const VirtualTime value = to_nanoseconds(time);
        return value >= realtime_start / 2 ? value - realtime_start : value - monotonic_start;
    }
    [[nodiscard]] VirtualTime from_relative(const timespec& time) const {
        return now_ + to_nanoseconds(time);
    }

    [[nodiscard]] static timespec to_timespec(VirtualTime time) {
        return {.tv_sec = time / second, .tv_nsec = time % second};
    }

  private:
    static constexpr VirtualTime second = 1'000'000'000;
    static constexpr VirtualTime look_cost = 1'000;
    static constexpr VirtualTime realtime_start = 1'750'000'000 * second;
    static constexpr VirtualTime monotonic_start = 1'000 * second;

    [[nodiscard]] static VirtualTime to_nanoseconds(const timespec& time) {
        constexpr VirtualTime longest = 4'000'000'000;  // a wait until the end of time must not overflow
        return std::clamp<VirtualTime>(time.tv_sec, 0, longest) * second + time.tv_nsec;
    }
    [[nodiscard]] static VirtualTime offset(clockid_t clock) {
        switch (clock) {
            case CLOCK_REALTIME:
            case CLOCK_REALTIME_COARSE:
            case CLOCK_TAI:
                return realtime_start;
            case CLOCK_MONOTONIC:
            case CLOCK_MONOTONIC_RAW:
            case CLOCK_MONOTONIC_COARSE:
            case CLOCK_BOOTTIME:
                return monotonic_start;
            default:
                return 0;  // time spent by the process or a thread
        }
    }

    VirtualTime now_ = 0;
};

}  // namespace coopcheck::tracer
