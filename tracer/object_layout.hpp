#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/sync_objects.hpp"

/// How glibc 2.36 lays out what pthread_mutex_init and the others write (its layouts are part of its ABI: the
/// same since 2.25).
namespace coopcheck::tracer::object_layout {

/// How many bytes from the start of an object tell how it starts its life.
[[nodiscard]] std::size_t bytes_needed(ObjectClass object_class);

/// How an object that was initialized statically, or by its own code, starts its life; nothing if these bytes
/// cannot have been initialized.
[[nodiscard]] std::optional<ObjectInit> decode(ObjectClass object_class, std::span<const std::byte> bytes);

/// Written into an object that was destroyed. POSIX leaves open what is in there then; if it is something
/// else later, the memory was initialized anew, by an initializer or as part of something larger.
inline constexpr std::uint32_t destroyed_mark = 0xffffffff;
/// Where it is written; nothing for classes that have no static initializer.
[[nodiscard]] std::optional<std::uint64_t> destroyed_mark_at(ObjectClass object_class);
/// Whether the memory of an object that was left like this has become another object of its class.
[[nodiscard]] bool is_new_life(const ObjectState& before, std::span<const std::byte> bytes);

inline constexpr std::size_t most_bytes_needed = 52;

}  // namespace coopcheck::tracer::object_layout
