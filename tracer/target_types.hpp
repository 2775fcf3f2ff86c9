#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>

namespace coopcheck::tracer {

/// A process of the kernel, as against core's ThreadId, which names a thread of the program.
enum class ProcessId : pid_t {};

/// An address in the memory of the target, never to be dereferenced here.
enum class RemoteAddress : std::uint64_t {};

[[nodiscard]] constexpr std::uint64_t number(RemoteAddress address) {
    return static_cast<std::uint64_t>(address);
}

[[nodiscard]] constexpr RemoteAddress operator+(RemoteAddress address, std::uint64_t offset) {
    return RemoteAddress{number(address) + offset};
}

/// How far `to` lies above `from`.
[[nodiscard]] constexpr std::uint64_t operator-(RemoteAddress to, RemoteAddress from) {
    return number(to) - number(from);
}

inline constexpr RemoteAddress null_address{0};

}  // namespace coopcheck::tracer
