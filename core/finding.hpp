#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/location.hpp"
#include "core/misuse.hpp"
#include "core/operation.hpp"
#include "core/schedule.hpp"

namespace coopcheck {

enum class FindingKind : std::uint8_t {
    Deadlock,
    Assertion,
    Crash,
    BadExit,
    WrongOutput,
    Race,
    Misuse,
    Livelock,
};

[[nodiscard]] std::string_view describe(FindingKind kind);

/// One thread of a deadlock: what it waits for and, where that is known, who has it.
struct Wait {
    ThreadId thread;
    Operation operation;
    std::vector<ThreadId> blockers;
};

struct Race;

/// A bug, with the schedule that shows it.
struct Finding {
    FindingKind kind = FindingKind::Crash;
    /// The thread that failed; invalid for a deadlock.
    ThreadId thread;
    std::optional<Misuse> misuse;
    /// The operation or access at which it showed.
    Operation operation;
    /// Text of the program: the assertion, the signal, the exit code.
    std::string message;
    /// Deadlock: the threads in it. `is_cycle` tells a cycle among them from a state in which all are stuck.
    std::vector<Wait> waits;
    bool is_cycle = false;
    /// Executed in `schedule`; otherwise only predicted by lock chain analysis, and `schedule` leads to
    /// the place where it was predicted.
    bool confirmed = true;
    /// Race: both accesses, where they are known (core/race.hpp).
    std::shared_ptr<const Race> race;
    unsigned preemptions = 0;
    Schedule schedule;
    /// The memory whose accesses were operations when the schedule was run (Execution::set_visible).
    std::vector<Location> visible;

    /// Findings with the same key are one bug: same kind, same place, same cycle.
    [[nodiscard]] std::string key() const;
};

}  // namespace coopcheck
