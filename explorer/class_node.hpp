#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/event.hpp"
#include "explorer/fairness.hpp"
#include "explorer/monitors.hpp"
#include "explorer/wakeup_tree.hpp"

namespace coopcheck {

struct ClassNode;
using ClassNodePtr = std::shared_ptr<ClassNode>;

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
};

}  // namespace coopcheck
