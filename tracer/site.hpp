#pragma once

#include <cstdint>

#include "tracer/modules.hpp"
#include "tracer/source_lines.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/unwinder.hpp"

namespace coopcheck::tracer {

/// Where in the program's own source a thread stands: the nearest of its callers that is not in the C or C++
/// library, or the innermost frame if there is none.
[[nodiscard]] std::uint64_t find_site(const StackFrame& innermost, const Modules& modules,
                                      const TargetMemory& memory, SourceLines& source_lines,
                                      Unwinder& unwinder);

}  // namespace coopcheck::tracer
