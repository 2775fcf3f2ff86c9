#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/execution.hpp"
#include "core/footprint.hpp"
#include "explorer/fairness.hpp"
#include "explorer/monitors.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

/// A thread that is not run for the time being because the schedules in which it goes first have been
/// explored. The footprint is shared and may still grow while those schedules are being explored.
struct Delayed {
    ThreadId thread;
    std::shared_ptr<Footprint> footprint;
};

/// A thread in the block set of something: it tried and could not.
struct Blocked {
    ThreadId thread;
    /// It could not even begin: it is enabled again as soon as its parked operation is.
    bool at_start = true;
    /// Otherwise it was taken back to the start of its block, and tries again after a conflict with what the
    /// attempt touched: the lock it failed at, and everything that could lead it elsewhere.
    Footprint attempt;
};

/// Where a node of a search that was stopped lies; the program has not been there since.
struct SavedPlace {
    /// SearchState::blocks; none for the start of the program.
    std::optional<std::uint32_t> block;
    bool nobody_spun = true;
    std::vector<ThreadId> at_limit;
};

/// A place between two blocks, with the sets of figures 3, 5 and 6. Every live thread of the program is in
/// exactly one of enabled, delayed and blocked (the wait sets are in SyncModel: a waiting thread is blocked).
struct Node {
    /// Instead of place, trail, monitors and fairness (explorer/saved_branches.hpp).
    std::optional<SavedPlace> saved;
    PlacePtr place;
    TrailPtr trail;
    std::shared_ptr<const Monitors> monitors;
    std::vector<ThreadId> enabled;  // sorted
    std::vector<Delayed> delayed;
    std::vector<Blocked> blocked;

    /// The thread whose block led here.
    ThreadId last;
    /// It could go on and did not offer to yield: running another one now is a preemption.
    bool last_can_go_on = false;
    /// The place where the second thread has just been started (BEGIN in figure 3).
    bool is_begin = false;
    /// There has been a second thread.
    bool begun = false;
    unsigned preemptions = 0;
    /// The last thread could go on but is at its limit, or has to let others go first; how often such a
    /// thread has been left. Free for the bound, and preemptions to everybody who does not know about
    /// fairness.
    bool last_held_back = false;
    unsigned forced_switches = 0;
    Fairness fairness;
    /// What the last thread has touched since it was switched in, blocking included.
    std::shared_ptr<Footprint> run;
};

/// Work to be done later: what is pushed on the stack.
struct Branch {
    Node node;
    /// The thread whose block is to be run again with other variants; otherwise any of the enabled ones.
    std::optional<ThreadId> current;
    /// The variants taken at the block's first choices, then those not to be taken at the next one
    /// (no_notify).
    std::vector<Variant> taken;
    std::set<Variant> no_notify;
    /// Where the footprint of such a repeated block is added to.
    std::shared_ptr<Footprint> footprint;
    /// A timeout fired because nothing else can run.
    bool fire_timeout = false;
    /// The search was stopped in the middle of a path that had got somewhere.
    bool progressed = false;
};

}  // namespace coopcheck
