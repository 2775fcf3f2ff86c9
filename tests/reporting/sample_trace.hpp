#pragma once

#include "core/trace.hpp"

namespace coopcheck::testing {

/// A trace with something in every field, and bytes of all kinds in its texts.
[[nodiscard]] Trace full_trace();

/// A race with something in every field.
[[nodiscard]] Trace race_trace();

}  // namespace coopcheck::testing
