#pragma once

#include <compare>
#include <cstdint>

#include "core/ids.hpp"

namespace coopcheck {

/// Which of its possible outcomes an operation has. Most operations have just one, Normal.
struct Variant {
    enum class Kind : std::uint8_t {
        Normal,
        Wake,      ///< a signal or wake-up goes to `thread`
        Subset,    ///< a wake-up goes to the value-th subset of the waiters, in lexicographic order
        Timeout,   ///< a timed operation gives up
        Spurious,  ///< a wait returns though nobody signalled
        Value,     ///< choose() returns `value`
        Cancel,    ///< a cancellation point acts on a request to cancel
    };

    Kind kind = Kind::Normal;
    ThreadId thread;
    std::uint32_t value = 0;

    static constexpr Variant normal() { return {}; }
    static constexpr Variant wake(ThreadId thread) { return {Kind::Wake, thread, 0}; }
    static constexpr Variant subset(std::uint32_t nth) { return {Kind::Subset, ThreadId{}, nth}; }
    static constexpr Variant timeout() { return {Kind::Timeout, ThreadId{}, 0}; }
    static constexpr Variant spurious() { return {Kind::Spurious, ThreadId{}, 0}; }
    static constexpr Variant chosen(std::uint32_t value) { return {Kind::Value, ThreadId{}, value}; }
    static constexpr Variant cancel() { return {Kind::Cancel, ThreadId{}, 0}; }

    friend constexpr auto operator<=>(const Variant&, const Variant&) = default;
};

}  // namespace coopcheck
