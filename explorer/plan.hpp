#pragma once

#include <compare>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/finding.hpp"
#include "explorer/walk.hpp"
#include "explorer/wanted.hpp"

namespace coopcheck {

/// This thread, until it cannot go on or has made so many steps.
struct PlannedRun {
    ThreadId thread;
    std::size_t steps = 0;

    friend auto operator<=>(const PlannedRun&, const PlannedRun&) = default;
};

/// A schedule as a list of preferences. It can be followed whatever the program does: a run whose thread
/// cannot go on is left out, and what comes after the last run is completed without a preemption.
struct Plan {
    std::vector<PlannedRun> runs;
    /// The odd variants, by the thread and the number of its step. Where such a variant is not possible,
    /// and everywhere else, the first one is taken.
    std::map<std::pair<ThreadId, std::size_t>, Variant> variants;

    friend auto operator<=>(const Plan&, const Plan&) = default;
};

inline constexpr std::size_t as_long_as_possible = std::numeric_limits<std::size_t>::max();

/// The plan that leads to these steps when nothing is changed: its runs are the stretches of one thread.
[[nodiscard]] Plan plan_of(const std::vector<WalkStep>& steps);

/// How many of the steps that `known` led to are also the first ones of `plan`.
[[nodiscard]] std::size_t common_steps(const std::vector<WalkStep>& steps, const Plan& known,
                                       const Plan& plan);

/// In which order threads get their turn where a switch is free.
enum class TurnOrder : std::uint8_t { Ascending, Descending };

/// Who goes on without a preemption: the thread that ran last if it can and did not give way, otherwise the
/// next one in turn. Nothing if nobody can.
[[nodiscard]] std::optional<ThreadId> next_without_preemption(const Walk& walk, TurnOrder order);

/// Follows the plan from where the walk is, `walk.steps().size()` steps into the plan. The wanted finding, if
/// the walk comes to it at a lower cost than `below` and in at most `most_steps` steps; the walk ends there.
[[nodiscard]] std::optional<Finding> follow(Walk& walk, const Plan& plan, const Wanted& wanted,
                                            const ScheduleCost& below, std::size_t most_steps);

}  // namespace coopcheck
