#pragma once

#include <string>

#include "core/names.hpp"
#include "tracer/run_state.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// Names the object at `address` by where it lies, in a way that does not depend on the interleaving: a
/// global by its symbol; a variable on a stack by its thread and its distance from the stack's start; memory
/// from malloc by the range of the thread that asked the kernel for it. Empty for memory that none of these
/// covers.
[[nodiscard]] std::string origin_of(RemoteAddress address, const RunState& state, const ThreadNames& names);

/// "mutex", "condition"...
[[nodiscard]] std::string_view class_name(ObjectClass object_class);

}  // namespace coopcheck::tracer
