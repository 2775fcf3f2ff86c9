#pragma once

#include <elfutils/libdw.h>

#include <vector>

namespace coopcheck::tracer {

/// The scopes of debug information that contain the code at an address of the unit: blocks, inlined calls
/// (where they were inlined, not where they are defined), the function itself. The innermost first, the
/// function last; none if there is no function.
[[nodiscard]] std::vector<Dwarf_Die> scopes_at(Dwarf_Die& unit, Dwarf_Addr pc);

}  // namespace coopcheck::tracer
