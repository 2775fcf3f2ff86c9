#include "tracer/type_path.hpp"

#include <dwarf.h>

#include <string_view>
#include <vector>

namespace coopcheck::tracer {

namespace {

std::optional<Dwarf_Die> plain(Dwarf_Die type) {
    for (;;) {
        const int tag = dwarf_tag(&type);
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_atomic_type) {
            return type;
        }
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (dwarf_formref_die(dwarf_attr(&type, DW_AT_type, &attribute), &next) == nullptr)
            return std::nullopt;
        type = next;
    }
}

bool is_of_the_system(Dwarf_Die& type) {
    const char* file = dwarf_decl_file(&type);
    return file != nullptr && std::string_view(file).starts_with("/usr/");
}

/// std::array is a struct around a plain array.
bool is_std_array(Dwarf_Die& type) {
    const char* name = dwarf_diename(&type);
    return name != nullptr && std::string_view(name).starts_with("array<") && is_of_the_system(type);
}

std::uint64_t number_in(Dwarf_Die& die, unsigned attribute_name, std::uint64_t otherwise) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(&die, attribute_name, &attribute), &value) == 0 ? value : otherwise;
}

std::vector<Dwarf_Die> children(Dwarf_Die die) {
    std::vector<Dwarf_Die> all;
    Dwarf_Die child;
    for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        all.push_back(child);
    }
    return all;
}

std::string array_path(Dwarf_Die& array, std::uint64_t offset) {
    const std::optional<Dwarf_Die> element = type_of(array);
    const std::uint64_t size = element ? size_of(*element) : 0;
    if (size == 0) return "";
    std::vector<std::uint64_t> extents;
    for (Dwarf_Die& range : children(array)) {
        if (dwarf_tag(&range) != DW_TAG_subrange_type) continue;
        // Either how many, or the last index.
        extents.push_back(number_in(range, DW_AT_count, number_in(range, DW_AT_upper_bound, 0) + 1));
    }
    std::uint64_t nth = offset / size;
    std::string path;
    for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
        const bool is_first = extent + 1 == extents.rend();
        path.insert(0, "[" + std::to_string(is_first || *extent == 0 ? nth : nth % *extent) + "]");
        if (*extent != 0) nth /= *extent;
    }
    return path + type_path(*element, offset % size);
}

}  // namespace

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &type) == nullptr) {
        return std::nullopt;
    }
    return plain(type);
}

std::uint64_t size_of(Dwarf_Die type) {
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

std::string type_path(Dwarf_Die type, std::uint64_t offset) {
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type) return array_path(type, offset);
    const bool has_members =
        tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
    if (!has_members || (is_of_the_system(type) && !is_std_array(type))) return "";
    for (Dwarf_Die& member : children(type)) {
        const int kind = dwarf_tag(&member);
        if (kind != DW_TAG_member && kind != DW_TAG_inheritance) continue;
        if (dwarf_hasattr(&member, DW_AT_external) != 0) continue;  // a static one
        const std::optional<Dwarf_Die> member_type = type_of(member);
        const std::uint64_t start = number_in(member, DW_AT_data_member_location, 0);
        if (!member_type || offset < start || offset - start >= size_of(*member_type)) continue;
        const char* name = kind == DW_TAG_member && !is_std_array(type) ? dwarf_diename(&member) : nullptr;
        return (name != nullptr ? "." + std::string(name) : "") + type_path(*member_type, offset - start);
    }
    return "";
}

std::optional<Pointee> pointee_of(Dwarf_Die& variable) {
    const std::optional<Dwarf_Die> pointer = type_of(variable);
    if (!pointer) return std::nullopt;
    Dwarf_Die type = *pointer;
    const int kind = dwarf_tag(&type);
    if (kind != DW_TAG_pointer_type && kind != DW_TAG_reference_type &&
        kind != DW_TAG_rvalue_reference_type) {
        return std::nullopt;
    }
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    if (dwarf_formref_die(dwarf_attr(&type, DW_AT_type, &attribute), &named) == nullptr) return std::nullopt;
    const std::optional<Dwarf_Die> target = plain(named);
    if (!target) return std::nullopt;
    Pointee pointee{.type = *target, .name = ""};
    // A structure without a name of its own has that of its typedef.
    for (Dwarf_Die* die : {&pointee.type, &named}) {
        if (const char* name = dwarf_diename(die); name != nullptr && pointee.name.empty())
            pointee.name = name;
    }
    const int tag = dwarf_tag(&pointee.type);
    pointee.has_members =
        (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) &&
        !is_of_the_system(pointee.type);
    pointee.is_scalar =
        tag == DW_TAG_base_type || tag == DW_TAG_pointer_type || tag == DW_TAG_enumeration_type;
    return pointee;
}

}  // namespace coopcheck::tracer
