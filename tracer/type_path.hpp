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

/// What a pointer or reference leads to.
struct Pointee {
    Dwarf_Die type;
    /// Of the type, as the source calls it; may be empty.
    std::string name;
    /// A structure of the program's own, whose members can be named.
    bool has_members = false;
    /// A number or a pointer: there may be an array of them.
    bool is_scalar = false;
};

/// Nothing if the variable is neither a pointer nor a reference.
[[nodiscard]] std::optional<Pointee> pointee_of(Dwarf_Die& variable);

}  // namespace coopcheck::tracer
