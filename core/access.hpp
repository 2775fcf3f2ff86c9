#pragma once

#include "core/operation.hpp"

namespace coopcheck {

/// Whether an operation is an access to memory.
[[nodiscard]] constexpr bool is_access(const Operation& operation) {
    return operation.kind == OpKind::Read || operation.kind == OpKind::Write ||
           operation.kind == OpKind::ReadWrite;
}

}  // namespace coopcheck
