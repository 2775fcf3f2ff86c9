#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/event.hpp"
#include "explorer/fairness.hpp"
#include "explorer/later_moves.hpp"
#include "explorer/monitors.hpp"
#include "explorer/wakeup_tree.hpp"

namespace coopcheck {

struct ClassNode;
using ClassNodePtr = std::shared_ptr<ClassNode>;

/// What a search for classes within a bound knows of a place besides.
struct BoundedPlace {
    BoundedPlace() = default;
    ~BoundedPlace();
    BoundedPlace(const BoundedPlace&) = delete;
    BoundedPlace& operator=(const BoundedPlace&) = delete;

    /// The place before, and the step from there.
    ClassNodePtr before;
    std::shared_ptr<Event> came_by;
    bool came_forced = false;
    /// The same, of a search that was saved, until the program has been there.
    std::optional<Move> saved_move;
    OpKind saved_kind = OpKind::ThreadStart;
    /// The step from here was not chosen freely: somebody asked for it to be explored as well.
    bool is_forced = false;
    /// What was chosen freely: the first step that was made from here.
    std::optional<Move> first;
    Operation first_operation;
    /// All that could be done.
    std::vector<Move> offers;
    /// To be explored whatever is seen later.
    std::vector<Move> wishes;
    using Later = LaterMove;
    std::vector<Later> later;
    /// Within this bound every schedule that is still to be found has the first step (Detours::is_settled);
    /// or that is not known.
    std::optional<unsigned> settled_within;
    std::optional<unsigned> not_settled_within;
    /// It is among the places to come back to.
    bool is_kept = false;
};

/// A place on a path of ClassSearch, with what was and what will be explored from it.
struct ClassNode {
    PlacePtr place;
    std::vector<Move> sleep;
    WakeupTree todo;
    /// The step that leads to the next node.
    std::shared_ptr<Event> event;
    bool is_fresh = true;      ///< nothing was explored from here yet
    std::size_t explored = 0;  ///< branches that are done
    std::shared_ptr<const Monitors> monitors;
    Fairness fairness;
    ThreadId last;
    OpKind last_made = OpKind::ThreadStart;
    /// With a bound.
    std::unique_ptr<BoundedPlace> bounded;
};

// A long way back ends without deep recursion.
inline BoundedPlace::~BoundedPlace() {
    while (before && before.use_count() == 1 && before->bounded) {
        ClassNodePtr next = std::move(before->bounded->before);
        before = std::move(next);
    }
}

}  // namespace coopcheck
