#pragma once

#include <compare>
#include <vector>

#include "core/ids.hpp"
#include "core/variant.hpp"

namespace coopcheck {

/// One decision: this thread carries out its parked operation, with this variant.
struct Choice {
    ThreadId thread;
    Variant variant;

    friend auto operator<=>(const Choice&, const Choice&) = default;
};

/// The decisions of one run from the start of the program, one per step.
using Schedule = std::vector<Choice>;

}  // namespace coopcheck
