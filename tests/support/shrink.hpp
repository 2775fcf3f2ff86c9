#pragma once

#include <functional>

#include "tests/support/program.hpp"

namespace coopcheck::testing {

/// The smallest program found for which `still_wrong` holds, as it must for the given one: threads,
/// instructions and objects are taken away, one after the other, and what is left is made plainer, as long as
/// it holds. The bytecode of every program asked about is right (see problem()), but it may misuse primitives
/// and deadlock.
[[nodiscard]] Program shrink(Program program, const std::function<bool(const Program&)>& still_wrong);

}  // namespace coopcheck::testing
