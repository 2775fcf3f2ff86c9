#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/finding.hpp"
#include "core/location.hpp"
#include "core/verdict.hpp"
#include "explorer/budget.hpp"

namespace coopcheck {

/// Which schedules the search leaves out.
enum class Pruning : std::uint8_t {
    None,       ///< ExitBlock: all orders of blocks
    ReadWrite,  ///< ExitBlock-RW: a delayed thread comes back only on a conflict
};

/// Where the reads and writes of a block come from.
enum class FootprintSource : std::uint8_t {
    Locks,  ///< every synchronization object operated on; acquires count as writes
    /// Data accesses, and synchronization objects other than locks. A lock counts as read, and as written by
    /// a block that ends with it held: two sections of one lock that touch nothing in common do not conflict,
    /// but nobody overtakes a thread that comes to hold a lock across blocks.
    Data,
    /// Section 5.1 of the paper to the letter: locks do not count at all. Loses behaviours of programs that
    /// nest locks, deadlocks (figure 10) and others; here to be compared with.
    PlainData,
};

/// Where a switch is possible.
enum class Granularity : std::uint8_t {
    Blocks,      ///< at the ends of ExitBlock's blocks
    Operations,  ///< before every visible operation
};

/// How deadlocks among nested locks are found.
enum class NestedLocks : std::uint8_t {
    Predict,  ///< by reverse lock chain analysis alone, as in section 6.1 of the paper
    Execute,  ///< by ending blocks before each acquire that is made while something is held
    Auto,     ///< Predict, until something is seen that it cannot cover; then Execute
};

/// How the search tells schedules apart.
enum class Reduction : std::uint8_t {
    Blocks,  ///< by the order of blocks (ExitBlock): the other options say how
    Source,  ///< by the order of dependent operations; some schedules are begun that are equivalent to others
    Optimal,  ///< the same with wakeup trees: one schedule for each class of equivalent ones
};

struct SearchOptions {
    /// Source and Optimal leave pruning, footprints, granularity, nested_locks and ignore_unshared_locks
    /// aside: a switch is possible before every operation, deadlocks are executed.
    Reduction reduction = Reduction::Blocks;
    Pruning pruning = Pruning::ReadWrite;
    FootprintSource footprints = FootprintSource::Locks;
    Granularity granularity = Granularity::Blocks;
    NestedLocks nested_locks = NestedLocks::Auto;
    bool find_deadlocks = true;
    /// Iterative context bounding: all schedules with 0 preemptions, then 1, ... up to this.
    std::optional<unsigned> bound;
    /// Within a bound, for classes: so many beginnings of schedules are gone through on record
    /// (explorer/schedule_walk.hpp), of runs that have so many steps in all.
    std::size_t recorded_beginnings = 3'000'000;
    std::size_t recorded_steps = 2'000'000;
    /// What is too much to go through on record, or cannot be, is searched by blocks, from the start. Not if
    /// this is set: then that search is what is left to do (SearchState).
    bool only_on_record = false;
    /// Releases of locks that only one thread ever uses end no block.
    bool ignore_unshared_locks = false;
    /// Threads that have made so many steps are not run further (section 4.1 of the paper).
    std::size_t thread_step_limit = std::numeric_limits<std::size_t>::max();
    /// How often a thread may spin at one place (yield, sleep, fail to take what it tries to take) before the
    /// threads that could run go first.
    unsigned spin_patience = 1;
    /// A schedule in which a thread spins so often at one place is cut.
    std::size_t spin_limit = 10'000;
    BudgetLimits budget;
    std::size_t max_findings = std::numeric_limits<std::size_t>::max();
    /// Decides about runs that end by themselves; without it they are all good.
    Judge judge;
    /// Orders of output are told apart: every output is a block of its own.
    bool output_matters = false;
    /// Stop as soon as a schedule shows this finding, looked for in every state that is reached
    /// (SearchResult::wanted). Meant for Granularity::Operations: inside a block nobody looks.
    std::optional<Finding> wanted;
    /// Locations that are known to be accessed without a lock.
    std::vector<Location> visible;
};

/// It is for classes at the granularity of operations (explorer/class_search.hpp).
[[nodiscard]] inline bool is_of_classes(const SearchOptions& options) {
    return options.reduction != Reduction::Blocks;
}

/// The search by blocks with the same guarantee within the same bound.
[[nodiscard]] inline SearchOptions by_blocks(SearchOptions options) {
    options.reduction = Reduction::Blocks;
    options.pruning = Pruning::ReadWrite;
    options.granularity = Granularity::Operations;
    return options;
}

/// As several processes make it: what is on record cannot be shared.
[[nodiscard]] inline SearchOptions as_shared(const SearchOptions& options) {
    return options.bound && is_of_classes(options) ? by_blocks(options) : options;
}

}  // namespace coopcheck
