#pragma once

#include "core/trace.hpp"

namespace coopcheck::testing {

/// The deadlock of corpus/bank as a trace: two threads that take two locks in opposite orders.
[[nodiscard]] Trace bank_trace();

}  // namespace coopcheck::testing
