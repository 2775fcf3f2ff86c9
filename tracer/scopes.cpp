#include "tracer/scopes.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>

namespace coopcheck::tracer {

namespace {

using Scopes = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;

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

bool find_function(Dwarf_Die& outer, Dwarf_Addr pc, std::vector<Dwarf_Die>& scopes) {
    Dwarf_Die child;
    for (int more = dwarf_child(&outer, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) == DW_TAG_subprogram && dwarf_haspc(&child, pc) > 0) {
            scopes.push_back(child);
            descend(child, pc, scopes);
            return true;
        }
        if (can_contain_functions(child) && find_function(child, pc, scopes)) return true;
    }
    return false;
}

}  // namespace

std::vector<Dwarf_Die> scopes_at(Dwarf_Die& unit, Dwarf_Addr pc) {
    std::vector<Dwarf_Die> scopes;
    Dwarf_Die* innermost = nullptr;
    const int any = dwarf_getscopes(&unit, pc, &innermost);
    const Scopes innermost_owner(innermost, &std::free);
    // Outside of an inlined function dwarf_getscopes goes on with what encloses its definition; what encloses
    // its call is wanted.
    Dwarf_Die* found = nullptr;
    const int count = any > 0 ? dwarf_getscopes_die(innermost, &found) : 0;
    const Scopes owner(found, &std::free);
    for (const Dwarf_Die& scope : std::span(found, static_cast<std::size_t>(std::max(count, 0)))) {
        scopes.push_back(scope);
        if (dwarf_tag(&scopes.back()) == DW_TAG_subprogram) return scopes;
    }
    // elfutils (0.188) does not look into what has no code of its own: the call of a lambda that was made in
    // a constructor is described inside the constructor's abstract twin.
    scopes.clear();
    find_function(unit, pc, scopes);
    std::reverse(scopes.begin(), scopes.end());
    return scopes;
}

}  // namespace coopcheck::tracer
