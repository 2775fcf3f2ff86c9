#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

namespace coopcheck::tracer {

/// The type of a variable or member, without typedefs and qualifiers; nothing if it has none.
[[nodiscard]] std::optional<Dwarf_Die> type_of(Dwarf_Die& die);

[[nodiscard]] std::uint64_t size_of(Dwarf_Die type);

/// What C++ calls the part of a variable of this type that lies at an offset: "", ".lock", "[2].lock". What
/// is inside a type of the system's headers (std::mutex, pthread_mutex_t) is no part.
[[nodiscard]] std::string type_path(Dwarf_Die type, std::uint64_t offset);

}  // namespace coopcheck::tracer
