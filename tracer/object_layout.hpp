#pragma once

#include <cstddef>
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

inline constexpr std::size_t most_bytes_needed = 52;

}  // namespace coopcheck::tracer::object_layout
