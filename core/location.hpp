#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/ids.hpp"

namespace coopcheck {

/// Something whose accesses can conflict: a synchronization object, a thread's life, an output, the kernel,
/// a byte range of memory (named by its first address), or the whole world.
class Location {
  public:
    enum class Kind : std::uint8_t { Memory, Object, Thread, Output, Kernel, Wake, World };

    constexpr Location() = default;

    static constexpr Location memory(std::uint64_t address) { return {Kind::Memory, address}; }
    static constexpr Location object(ObjectId object) { return {Kind::Object, object.index()}; }
    static constexpr Location thread(ThreadId thread) { return {Kind::Thread, thread.index()}; }
    static constexpr Location output(std::uint32_t file) { return {Kind::Output, file}; }
    /// Everything that threads share through the kernel: pipes, sockets, signals. One location for all of it.
    static constexpr Location kernel() { return {Kind::Kernel, 0}; }
    /// That a thread which waits (condition, barrier, futex) has been woken up.
    static constexpr Location wake(ThreadId thread) { return {Kind::Wake, thread.index()}; }
    /// Conflicts with everything: the end of the process cuts off all the others.
    static constexpr Location world() { return {Kind::World, 0}; }

    /// Of what kind() and value() say of a location.
    static constexpr Location of(Kind kind, std::uint64_t value) { return {kind, value}; }

    [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits_ >> kind_shift); }
    [[nodiscard]] constexpr std::uint64_t value() const { return bits_ & ((1ULL << kind_shift) - 1); }

    friend constexpr auto operator<=>(const Location&, const Location&) = default;

    static constexpr std::uint64_t max_value = (1ULL << 60U) - 1;

  private:
    // User addresses of x86-64 have 47 bits (56 with 5-level paging), so the kind fits above them.
    static constexpr unsigned kind_shift = 60;
    constexpr Location(Kind kind, std::uint64_t value)
        : bits_((static_cast<std::uint64_t>(kind) << kind_shift) | value) {}
    std::uint64_t bits_ = 0;

    friend struct std::hash<Location>;
};

}  // namespace coopcheck

template <>
struct std::hash<coopcheck::Location> {
    std::size_t operator()(const coopcheck::Location& location) const noexcept {
        return std::hash<std::uint64_t>{}(location.bits_);
    }
};
