#include "tracer/scopes.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace coopcheck::tracer {

namespace {

/// Whether a function can be defined somewhere inside, although the code of the function is not its own.
bool can_contain_functions(Dwarf_Die& die) {
    switch (dwarf_tag(&die)) {
        case DW_TAG_namespace:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            return true;
        default:
            return false;
    }
}

/// Adds what is inside `die` and contains the code, the outermost first.
void descend(Dwarf_Die die, Dwarf_Addr pc, std::vector<Dwarf_Die>& scopes) {
    for (bool deeper = true; deeper;) {
        deeper = false;
        Dwarf_Die child;
        for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
            const int tag = dwarf_tag(&child);
            if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
            if (dwarf_haspc(&child, pc) <= 0) continue;
            scopes.push_back(child);
            die = child;
            deeper = true;
            break;
        }
    }
}

}  // namespace

// elfutils' dwarf_getscopes (0.188) does not look into what has no code of its own, although the call of a
// lambda that was made in a constructor is described inside the constructor's abstract twin; and it reads the
// unit again for every question.
void Scopes::find_functions(Dwarf_Die& outer, Functions& functions) {
    Dwarf_Die child;
    for (int more = dwarf_child(&outer, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        if (!can_contain_functions(child)) continue;
        if (dwarf_tag(&child) == DW_TAG_subprogram) {
            Dwarf_Addr base = 0;
            Dwarf_Addr begin = 0;
            Dwarf_Addr end = 0;
            for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;)
                functions[begin] = {.end = end, .function = child};
        }
        find_functions(child, functions);
    }
}

std::vector<Dwarf_Die> Scopes::at(Dwarf_Die& unit, Dwarf_Addr pc) {
    const auto [known, is_new] = units_.try_emplace(unit.cu);
    if (is_new) find_functions(unit, known->second);
    const auto after = known->second.upper_bound(pc);
    if (after == known->second.begin()) return {};
    const Code& code = std::prev(after)->second;
    if (pc >= code.end) return {};
    std::vector<Dwarf_Die> scopes{code.function};
    descend(code.function, pc, scopes);
    std::reverse(scopes.begin(), scopes.end());
    return scopes;
}

}  // namespace coopcheck::tracer
