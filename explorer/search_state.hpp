#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/finding.hpp"
#include "core/footprint.hpp"
#include "explorer/assumptions.hpp"
#include "explorer/search_result.hpp"
#include "explorer/wakeup_tree.hpp"

// A search that was stopped, as a plain value: what is left to do, and what was found. Everything that
// follows from running the program again (places, monitors, fairness) is left out, so it is small, and a
// program that has changed is noticed.

namespace coopcheck {

/// A step of a path, with enough of its operation to see whether the program still does the same.
struct SavedStep {
    ThreadId thread;
    Variant variant;
    bool preempting = false;
    OpKind kind = OpKind::ThreadStart;
    ObjectId object;
};

/// A block: a link of the tree of paths that the branches have in common.
struct SavedBlock {
    /// The block before it in SearchState::blocks, always earlier there; none for the first of a path.
    std::optional<std::uint32_t> before;
    ThreadId thread;
    std::vector<SavedStep> steps;
};

/// Indices are into SearchState::footprints: what is shared by several stays shared.
struct SavedDelayed {
    ThreadId thread;
    std::uint32_t footprint = 0;
};

struct SavedBlocked {
    ThreadId thread;
    bool at_start = true;
    Footprint attempt;
};

/// A Branch (explorer/node.hpp).
struct SavedBranch {
    /// The last block of the path to its node; none for the start of the program.
    std::optional<std::uint32_t> block;
    std::vector<ThreadId> enabled;
    std::vector<SavedDelayed> delayed;
    std::vector<SavedBlocked> blocked;
    ThreadId last;
    bool last_can_go_on = false;
    bool is_begin = false;
    bool begun = false;
    unsigned preemptions = 0;
    bool last_held_back = false;
    unsigned forced_switches = 0;
    bool nobody_spun = true;
    std::optional<std::uint32_t> run;
    /// Threads that have reached their limit of steps.
    std::vector<ThreadId> at_limit;

    std::optional<ThreadId> current;
    std::vector<Variant> taken;
    std::set<Variant> no_notify;
    std::optional<std::uint32_t> footprint;
    bool fire_timeout = false;
    bool progressed = false;
};

/// A place on the path of a search for classes (explorer/class_search.hpp).
struct ClassPlace {
    /// What was explored from here, or is by somebody else.
    std::vector<Move> sleep;
    WakeupTree todo;
    /// Nothing was explored from here yet.
    bool is_fresh = false;
    /// The step that leads to the next place, and its operation; none from the last one.
    std::optional<Move> taken;
    OpKind kind = OpKind::ThreadStart;
};

/// What a part of a search for classes tells those who have the places before it.
struct ClassNews {
    enum class Kind : std::uint8_t {
        Began,       ///< the step that leads to the part has been made: it touches this
        Impossible,  ///< it could not be made
        Reversal,    ///< this sequence has to be run from there
        Alone,       ///< this move, whatever comes after it
    };
    Kind kind = Kind::Reversal;
    /// The place, counted from the start of the program.
    std::size_t at = 0;
    std::vector<Move> moves;
    /// Began: of the step.
    OpKind step = OpKind::ThreadStart;
};

class ScheduleWalk;

struct SearchState {
    /// Of a search for classes; empty if nothing is left to do. The first places may belong to others.
    std::vector<ClassPlace> path;
    std::size_t own_from = 0;
    /// Races among so many of the path's steps have been looked at.
    std::size_t analysed = 0;
    std::vector<ClassNews> news;
    /// It went through schedules on record: its runs have to be made again, without counting; unless this is
    /// the same process, and the record is still there.
    bool is_on_record = false;
    std::shared_ptr<ScheduleWalk> record;
    /// And so have the first steps of a run that was not finished.
    std::size_t steps_begun = 0;

    std::vector<SavedBlock> blocks;
    std::vector<Footprint> footprints;
    /// In the order of the stack: the last one is next.
    std::vector<SavedBranch> stack;
    std::vector<SavedBranch> deferred;
    unsigned bound = 0;
    std::optional<unsigned> finished_bound;
    bool used_fairness = false;
    SearchCounts counts;
    /// Of the bounds before the present one.
    std::vector<std::size_t> paths_at_bound;

    Assumptions assumptions;
    std::vector<Finding> findings;
    std::vector<Finding> predicted;
    std::vector<Finding> races;
};

/// Where a search can leave its state while it runs, in case it comes to a sudden end.
class SearchKeeper {
  public:
    virtual ~SearchKeeper() = default;
    /// Asked between paths.
    [[nodiscard]] virtual bool is_due() = 0;
    virtual void keep(const SearchState& state) = 0;
};

}  // namespace coopcheck
