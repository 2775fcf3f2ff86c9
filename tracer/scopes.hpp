#pragma once

#include <elfutils/libdw.h>

#include <map>
#include <vector>

namespace coopcheck::tracer {

/// Finds what encloses an address in the debug information of one file. Each unit is read through once, when
/// it is first asked about.
class Scopes {
  public:
    /// The scopes that contain the code at an address of the unit: blocks, inlined calls (where they were
    /// inlined, not where they are defined), the function itself. The innermost first, the function last;
    /// none if there is no function.
    [[nodiscard]] std::vector<Dwarf_Die> at(Dwarf_Die& unit, Dwarf_Addr pc);

  private:
    struct Code {
        Dwarf_Addr end = 0;
        Dwarf_Die function{};
    };
    using Functions = std::map<Dwarf_Addr, Code>;  // by where they begin

    static void find_functions(Dwarf_Die& outer, Functions& functions);

    std::map<const Dwarf_CU*, Functions> units_;
};

}  // namespace coopcheck::tracer
