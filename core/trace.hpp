#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.hpp"
#include "core/misuse.hpp"
#include "core/operation.hpp"
#include "core/switch.hpp"
#include "core/variant.hpp"

namespace coopcheck {

/// An operation in words that mean the same in every run, also of the program built again: threads and
/// objects by name, no addresses.
struct TraceOperation {
    OpKind kind = OpKind::ThreadStart;
    bool timed = false;
    /// The object belongs to the C or C++ runtime library.
    bool runtime = false;
    /// All empty where the operation has none.
    std::string object;
    std::string mutex;
    std::string thread;
    std::string location;
    /// Of ProcessExit.
    int exit_code = 0;
    /// Of Yield: not a call, but a loop of the program that waits for memory to change.
    bool looks_again = false;

    friend bool operator==(const TraceOperation&, const TraceOperation&) = default;
};

/// Same kind, same objects and threads: what replay matches by.
[[nodiscard]] bool same_operation(const TraceOperation& left, const TraceOperation& right);
/// "pthread_mutex_lock(forks)"
[[nodiscard]] std::string describe(const TraceOperation& operation);

struct TraceVariant {
    Variant::Kind kind = Variant::Kind::Normal;
    /// Whom a Wake or a Subset wakes, sorted.
    std::vector<std::string> threads;
    /// What choose() returns.
    std::uint32_t value = 0;

    friend bool operator==(const TraceVariant&, const TraceVariant&) = default;
};

/// " wakes T0.1", or nothing for Normal.
[[nodiscard]] std::string describe(const TraceVariant& variant);

/// A place in the source of the program, with the lines around it as they were then.
struct TracePlace {
    /// "function file:line", as steps, waits and stacks name it.
    std::string source;
    /// Of the file; empty if not known.
    std::string path;
    unsigned line = 0;
    /// The number of the first of `lines`, which are empty if the file could not be read.
    unsigned first_line = 0;
    std::vector<std::string> lines;

    friend bool operator==(const TracePlace&, const TracePlace&) = default;
};

struct TraceStep {
    std::string thread;
    TraceOperation operation;
    TraceVariant variant;
    int result = 0;
    /// How often this thread has done the same operation before in this trace.
    std::size_t occurrence = 0;
    /// "function file:line"; empty if not known.
    std::string source;
    SwitchKind switched = SwitchKind::Start;
    /// Its calls: the number of a stack in Trace::stacks, counted from 1; 0 if not known.
    std::size_t stack = 0;
    /// Locks that the thread holds from this step on, and that it holds no longer.
    std::vector<std::string> takes;
    std::vector<std::string> gives;
    /// Threads that cannot go on from here on, and those that can again. A thread that makes a step could.
    std::vector<std::string> blocks;
    std::vector<std::string> frees;

    friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

/// A thread stopped before an operation: one of a deadlock, or any where a replay ends.
struct TraceWait {
    std::string thread;
    TraceOperation operation;
    std::vector<std::string> blockers;
    std::string source;
    /// As in TraceStep.
    std::size_t stack = 0;

    friend bool operator==(const TraceWait&, const TraceWait&) = default;
};

/// One of the two accesses of a race.
struct TraceAccess {
    std::string thread;
    /// Read, Write or ReadWrite, with the name of the first byte.
    TraceOperation operation;
    std::uint32_t size = 1;
    /// The memory is given back (free), which is as good as a write of all of it.
    bool freed = false;
    /// The first bytes, at most eight, as a number ("0x2a"); empty if not known.
    std::string before;
    std::string after;
    /// Where in which file, and what it is: "program+0x1189: add dword ptr ...". Empty if not known.
    std::string instruction;
    /// What the thread held.
    std::vector<std::string> locks;
    std::string source;
    /// As in TraceStep.
    std::size_t stack = 0;

    friend bool operator==(const TraceAccess&, const TraceAccess&) = default;
};

/// Where memory of the heap comes from.
struct TraceAllocation {
    std::string thread;
    std::uint64_t size = 0;
    /// Of the byte that both accesses touch.
    std::uint64_t offset = 0;
    std::string source;

    friend bool operator==(const TraceAllocation&, const TraceAllocation&) = default;
};

/// Two accesses to the same memory, at least one a write, that nothing orders.
struct TraceRace {
    TraceAccess first;
    TraceAccess second;
    std::optional<TraceAllocation> allocation;
    /// The steps end after the second access, in a schedule whose accesses were all watched. Otherwise they
    /// end where both threads are about to make theirs, next to each other, in whichever order.
    bool apart = false;

    friend bool operator==(const TraceRace&, const TraceRace&) = default;
};

/// A Finding in the same words.
struct TraceFinding {
    FindingKind kind = FindingKind::Crash;
    /// Empty for a deadlock.
    std::string thread;
    std::optional<Misuse> misuse;
    /// Nothing for a deadlock.
    std::optional<TraceOperation> operation;
    std::string source;
    std::string message;
    std::vector<TraceWait> waits;
    bool is_cycle = false;
    bool confirmed = true;
    /// Of a race: its two accesses, where they are known.
    std::optional<TraceRace> race;

    friend bool operator==(const TraceFinding&, const TraceFinding&) = default;
};

/// Whether they are one bug: same kind, same place, same cycle, same two accesses. Source lines, and numbers
/// and folders in messages do not count: they change when the program is built again.
[[nodiscard]] bool same_bug(const TraceFinding& left, const TraceFinding& right);

/// What the program read from its standard input.
struct TraceInput {
    std::uint64_t bytes = 0;
    std::string hash;
    /// The input itself, where it is small.
    std::optional<std::string> text;

    friend bool operator==(const TraceInput&, const TraceInput&) = default;
};

[[nodiscard]] TraceInput describe_input(const std::string& input);

struct TraceProgram {
    /// As the user gave it, and where that was.
    std::string path;
    std::string absolute_path;
    std::vector<std::string> arguments;
    /// Hexadecimal; empty for a program without one.
    std::string build_id;
    /// Nothing if the program did not read its standard input.
    std::optional<TraceInput> input;

    friend bool operator==(const TraceProgram&, const TraceProgram&) = default;
};

/// Options without which the schedule could not be run again.
struct TraceOptions {
    bool explore_timeouts = false;
    std::uint32_t spurious_wakeups = 0;
    /// The memory whose accesses are operations.
    std::vector<std::string> visible;

    friend bool operator==(const TraceOptions&, const TraceOptions&) = default;
};

/// The last choice after which there was still a way out.
struct TraceDecision {
    /// Its place in Trace::steps; at most their number.
    std::size_t step = 0;
    /// The nearest schedule that passes is the same up to there and goes on with these.
    std::vector<TraceStep> passing;

    friend bool operator==(const TraceDecision&, const TraceDecision&) = default;
};

/// A bug and how to get there: everything there is to know without the program. A plain value.
struct Trace {
    std::string tool;
    TraceProgram program;
    TraceOptions options;
    TraceFinding finding;
    unsigned preemptions = 0;
    /// It is proved that no schedule with fewer preemptions has this bug.
    bool minimal = false;
    /// Why that is open, where it was tried to find out.
    std::string minimal_open;
    /// What the program wrote to its standard output, at most `longest_output` of it.
    std::string output;
    bool output_cut = false;
    std::vector<TraceStep> steps;
    std::optional<TraceDecision> decision;
    /// What the source calls an object or memory ("account.lock"), by the name it has everywhere else.
    std::map<std::string, std::string> labels;
    /// Every place that is named somewhere, once.
    std::vector<TracePlace> places;
    /// Sources of the calls that had not returned, the innermost first; only the program's own functions.
    std::vector<std::vector<std::string>> stacks;

    friend bool operator==(const Trace&, const Trace&) = default;
};

inline constexpr std::size_t longest_output = 4096;
inline constexpr std::size_t longest_input = 16384;

[[nodiscard]] unsigned count_preemptions(const std::vector<TraceStep>& steps);

}  // namespace coopcheck
