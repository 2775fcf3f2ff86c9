#pragma once

#include "tracer/modules.hpp"

namespace coopcheck::tracer {

/// Throws Error if the program has something in it that makes what we would say of it wrong: ThreadSanitizer,
/// another C library than glibc.
void refuse_unsupported(const Modules& modules);

/// Throws Error if the program, which makes its first thread now, has locks that we cannot see.
void refuse_hidden_locks(const Modules& modules);

}  // namespace coopcheck::tracer
