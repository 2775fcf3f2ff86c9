#pragma once

#include <sys/user.h>

#include <cstdint>

#include "tracer/target_memory.hpp"

namespace coopcheck::tracer {

/// What clone and clone3 agree on, once decoded.
struct BirthCertificate {
    std::uint64_t flags = 0;
    std::uint64_t parent_tid = 0;
    std::uint64_t child_tid = 0;
    std::uint64_t stack_low = 0;
    std::uint64_t stack_pointer = 0;
    std::uint64_t thread_pointer = 0;
};

/// Of a thread that stands in one of these system calls.
[[nodiscard]] BirthCertificate read_birth_certificate(const user_regs_struct& registers,
                                                      const TargetMemory& memory);

}  // namespace coopcheck::tracer
