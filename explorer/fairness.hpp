#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/execution.hpp"

namespace coopcheck {

/// A step by which a thread only waits for something to change: it offers to yield, or it tried and could
/// not.
struct Spin {
    OpKind kind = OpKind::Yield;
    ObjectId object;
    std::uint64_t site = 0;

    friend auto operator<=>(const Spin&, const Spin&) = default;
};

[[nodiscard]] std::optional<Spin> spin_of(const StepResult& step);

/// What a claim adds when somebody was held back.
inline constexpr const char* fairness_condition =
    "a thread that tries again at the same place lets the others go first";

/// The fair scheduler of CHESS: a thread that spins at the same place again is held back until every thread
/// that could have run (or timed out) all the time since its last spin has had a turn. Loops that wait for
/// others end that way, and a program whose loops end when scheduled fairly has only finite schedules. A
/// plain value; empty, and without cost, as long as nobody spins.
class Fairness {
  public:
    struct Options {
        /// How many spins at one place are free before the thread is held back.
        unsigned patience = 1;
    };

    using CanRun = std::function<bool(ThreadId)>;

    /// A piece of `thread` has run, ending with `spin` or without one. `execution` stands after it.
    void ran(ThreadId thread, const std::optional<Spin>& spin, Execution& execution, const Options& options);

    /// Nobody has spun: nobody is held back.
    [[nodiscard]] bool is_idle() const { return windows_.empty(); }
    /// Somebody that `thread` has to let go first can run.
    [[nodiscard]] bool holds_back(ThreadId thread, const CanRun& can_run) const;
    /// How often the thread has spun at the place where it spun last.
    [[nodiscard]] std::size_t spins(ThreadId thread) const;

    /// All who have spun so often at one place that they can have been held back.
    [[nodiscard]] std::vector<ThreadId> spinners(const Options& options) const;

    /// The thread that ran last is where it was before, and so is everything else, though everybody had a
    /// turn.
    [[nodiscard]] bool is_livelock() const { return is_livelock_; }

  private:
    /// The time since a thread's last spin.
    struct Window {
        std::map<Spin, unsigned> spun;
        Spin last;
        /// Threads that could run all the time, and threads that this one has disabled.
        std::set<ThreadId> always_enabled;
        std::set<ThreadId> disabled_by_it;
        std::set<ThreadId> scheduled;
        /// Threads that have to be scheduled before this one again.
        std::set<ThreadId> waits_for;
        /// The state of the program at one of its spins, to be compared with the next ones (Brent's way to
        /// find cycles: the mark moves on at powers of two).
        std::optional<std::uint64_t> mark;
        unsigned marked_at = 0;
    };

    void look_for_cycle(Window& window, unsigned times, Execution& execution);

    std::map<ThreadId, Window> windows_;
    std::set<ThreadId> enabled_before_;
    bool is_livelock_ = false;
};

}  // namespace coopcheck
