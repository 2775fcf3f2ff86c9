#pragma once

#include <string>

#include "tracer/modules.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// By which name the call that returns there calls its function, where one function has several: the symbol
/// that the dynamic linker has bound it to. Empty if that cannot be told (a static program, a call by a
/// pointer).
[[nodiscard]] std::string called_name(const TargetMemory& memory, const Modules& modules,
                                      RemoteAddress return_address);

}  // namespace coopcheck::tracer
