#pragma once

#include <string>
#include <vector>

#include "core/finding.hpp"
#include "tests/support/fiber_api.hpp"

namespace coopcheck::testing {

/// A small program with exactly one kind of bug, and its repaired twin.
struct FailingProgram {
    std::string name;
    FindingKind kind;
    FiberProgram broken;
    FiberProgram fixed;
};

[[nodiscard]] const std::vector<FailingProgram>& failing_programs();

/// Two threads whose assertion fails if and only if the given number of ordering constraints between their
/// operations is met: the depth of the bug as pct counts it. From 1 to 3.
[[nodiscard]] FiberProgram bug_of_depth(unsigned depth);

}  // namespace coopcheck::testing
