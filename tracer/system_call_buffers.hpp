#pragma once

#include <sys/user.h>

#include <cstdint>
#include <vector>

#include "tracer/instruction.hpp"
#include "tracer/target_memory.hpp"

namespace coopcheck::tracer {

/// The memory of the program that the kernel reads and writes for a system call, which has returned `result`.
/// `registers` hold its arguments.
[[nodiscard]] std::vector<MemoryTouch> buffers_of(const user_regs_struct& registers, long call,
                                                  std::int64_t result, const TargetMemory& memory);

}  // namespace coopcheck::tracer
