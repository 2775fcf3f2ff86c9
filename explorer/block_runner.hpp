#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/execution.hpp"
#include "core/footprint.hpp"
#include "explorer/block_rules.hpp"
#include "explorer/fairness.hpp"
#include "explorer/monitors.hpp"
#include "explorer/search_state.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

/// A choice among several variants that was met in a block.
struct ChoicePoint {
    Variant taken;
    /// Variants explored already at this point, the one taken included.
    std::set<Variant> explored;
    bool more_left = false;
};

/// What running one block came to.
struct BlockResult {
    enum class Kind {
        Ended,     ///< a place where another thread may run; the thread may have ended, too
        Blocked,   ///< the thread could not carry out `failed`; the program stands before it
        RunEnded,  ///< the whole run is over: `end`
    };
    Kind kind = Kind::Ended;
    /// What the block touched, as the options say: this decides about conflicts.
    Footprint footprint;
    /// The same with all locks counted, whatever the options say: this decides who may try again.
    Footprint touched;
    std::vector<StepRecord> steps;
    Monitors monitors;
    std::vector<ChoicePoint> choices;
    bool thread_ended = false;
    /// Others can tell when the block ran: it is more than a thread's last, private piece (figure 3 pushes no
    /// branch when a thread dies).
    bool matters = false;
    /// Something was given back and the block did not end there.
    bool released_inside = false;
    /// The block's last step only waited for something to change.
    std::optional<Spin> spin;
    bool at_limit = false;
    Operation failed;
    std::optional<RunEnd> end;
};

/// Told about what is seen on the way.
class BlockObserver {
  public:
    virtual ~BlockObserver() = default;
    /// A location is accessed without the protection of a lock.
    virtual void race(ThreadId thread, const Access& access, const std::vector<StepRecord>& block) = 0;
    /// An atomic access was not an operation of its own.
    virtual void atomic_access(const Access& access) = 0;
};

/// Runs blocks: one thread, step by step, to the next place where a switch is allowed.
class BlockRunner {
  public:
    BlockRunner(Execution& execution, BlockRules& rules, const SearchOptions& options,
                BlockObserver& observer)
        : execution_(execution), rules_(rules), options_(options), observer_(observer) {}

    /// `taken` are the variants for the first choices, `no_notify` those to avoid at the choice after them.
    /// `fire_timeout`: the first operation times out.
    BlockResult run(ThreadId thread, const Monitors& monitors, const std::vector<Variant>& taken,
                    const std::set<Variant>& no_notify, bool fire_timeout);

    /// Makes the steps of a block that was run before. Throws Error if the program does something else.
    BlockResult run_again(const SavedBlock& block, const Monitors& monitors);

  private:
    BlockResult run_steps(ThreadId thread, const Monitors& monitors, const std::vector<Variant>& taken,
                          std::set<Variant> no_notify, bool fire_timeout);
    void count_locks_across(ThreadId thread, BlockResult& block) const;
    std::optional<Variant> choose(ThreadId thread, const Operation& operation,
                                  const std::vector<Variant>& taken, std::set<Variant>& no_notify,
                                  BlockResult& block);
    void make_step(ThreadId thread, const Operation& operation, Variant variant, BlockResult& block);
    void account(ThreadId thread, const StepResult& step, BlockResult& block);

    Execution& execution_;
    BlockRules& rules_;
    const SearchOptions& options_;
    BlockObserver& observer_;
    std::vector<Variant> variants_;
};

}  // namespace coopcheck
