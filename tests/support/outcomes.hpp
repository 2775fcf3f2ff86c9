#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/finding.hpp"
#include "core/misuse.hpp"
#include "core/names.hpp"
#include "core/operation.hpp"

namespace coopcheck::testing {

/// Everything that can come out of a program, in words that brute force and a search over fibers share:
/// threads by their names (T0.1), objects and variables by theirs.
struct Outcomes {
    /// Of runs in which all threads ended: all variables and registers. Of runs that ended by exit: the code.
    std::set<std::string> final_states;
    std::set<std::string> assertions;
    std::set<std::string> misuses;
    /// States in which nobody can go on, and every cycle of threads that wait for each other.
    std::set<std::string> deadlocks;

    [[nodiscard]] bool deadlock() const { return !deadlocks.empty(); }
    void add(const Outcomes& other);
    friend bool operator==(const Outcomes&, const Outcomes&) = default;
};

/// "x0=1 x1=0; T0: 0 0; T0.1: 2 0", sorted by names.
[[nodiscard]] std::string describe_state(
    std::vector<std::pair<std::string, std::int64_t>> variables,
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> threads);
[[nodiscard]] std::string describe_exit(int code);
[[nodiscard]] std::string describe_assertion(std::string_view thread, std::string_view text);
/// `target` is the name of the object or thread operated on, empty if there is none.
[[nodiscard]] std::string describe_misuse(Misuse misuse, std::string_view thread, OpKind kind,
                                          std::string_view target);

/// One thread of a deadlock: the thread, what it waits in, and the name of the object or thread it waits for.
struct BlockedThread {
    std::string thread;
    OpKind kind = OpKind::ThreadStart;
    std::string target;
};
/// All live threads, none of which can go on.
[[nodiscard]] std::string describe_stuck(std::vector<BlockedThread> threads);
/// The threads of one cycle.
[[nodiscard]] std::string describe_cycle(std::vector<BlockedThread> threads);

/// What a search found: a deadlock, an assertion or a misuse.
void add_finding(Outcomes& outcomes, const Finding& finding, const Names& names);

/// All of it, one line each, and what is in only one of the two: for the message of a failed test.
[[nodiscard]] std::string to_text(const Outcomes& outcomes);
[[nodiscard]] std::string difference(const Outcomes& left, const Outcomes& right);

}  // namespace coopcheck::testing
