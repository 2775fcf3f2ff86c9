#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace coopcheck {

/// A small number that stands for one kind of thing and mixes with no other.
/// The numbers are handed out by a name table (names.hpp) in the order in which
/// names are first seen in a search; the same name has the same number in every
/// interleaving of that search.
template <typename Tag>
class Id {
  public:
    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t index) : index_(index) {}

    [[nodiscard]] constexpr std::uint32_t index() const { return index_; }
    [[nodiscard]] constexpr bool valid() const { return index_ != none; }

    friend constexpr auto operator<=>(const Id&, const Id&) = default;

  private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t index_ = none;
};

using ThreadId = Id<struct ThreadTag>;
using ObjectId = Id<struct ObjectTag>;

/// The thread that runs main(); it exists in every program.
inline constexpr ThreadId main_thread{0};

}  // namespace coopcheck

template <typename Tag>
struct std::hash<coopcheck::Id<Tag>> {
    std::size_t operator()(const coopcheck::Id<Tag>& id) const noexcept { return id.index(); }
};
