#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "tests/support/outcomes.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {

/// Runs the program with random choices, at most so many steps, until something is found.
[[nodiscard]] std::optional<Finding> random_failure(Execution& execution, Random& random,
                                                    std::size_t most_steps);

/// What executing a schedule comes to, counted here and nowhere else.
struct Replayed {
    /// Everything that shows after the last step, by key; a state can show more than one cycle.
    std::vector<Finding> shown;
    /// Something showed before the last step.
    bool shown_before = false;
    /// The run ended with the last step, without a finding.
    bool passed = false;
    unsigned preemptions = 0;
    std::size_t switches = 0;
};
[[nodiscard]] Replayed replay(Execution& execution, const Schedule& schedule);

[[nodiscard]] bool shows(const Replayed& replayed, const Finding& finding);

/// The smallest number of preemptions with which brute force sees the finding (the same key); nothing if it
/// does not see it within the bounds given.
[[nodiscard]] std::optional<unsigned> fewest_preemptions(const std::vector<Outcomes>& within,
                                                         const Finding& finding, const Names& names);

}  // namespace coopcheck::testing
