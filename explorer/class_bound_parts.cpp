// Parts of a search for classes within a bound (explorer/shared_bounds.hpp).
//
// The places before its own are copies for a part: what is asked for there is noted in them, so that it is
// told only once, and told to those who have the places. A copy may be older than what they know. Then it has
// less in `sleep` and `todo`, and everything that is concluded from these (is_covered, is_settled) errs on
// the side of asking.
#include <algorithm>
#include <utility>

#include "explorer/class_search.hpp"
#include "explorer/search_sharer.hpp"

namespace coopcheck {

SavedClassNode ClassSearch::saved_place(const ClassNode& node) {
    const BoundedPlace& place = *node.bounded;
    SavedClassNode saved;
    if (place.before) {
        saved.came_by = place.came_by ? move_of(*place.came_by) : *place.saved_move;
        saved.kind = place.came_by ? place.came_by->operation.kind : place.saved_kind;
    }
    saved.came_forced = place.came_forced;
    saved.sleep = node.sleep;
    saved.todo = node.todo;
    saved.is_fresh = node.is_fresh;
    saved.explored = node.explored;
    saved.first = place.first;
    saved.wishes = place.wishes;
    saved.settled_within = place.settled_within;
    saved.not_settled_within = place.not_settled_within;
    saved.later = place.later;
    return saved;
}

void ClassSearch::give_places(std::size_t last) {
    SearchState part;
    const auto add = [&](const Node& node) {
        SavedClassNode saved = saved_place(node);
        if (!part.tree.empty()) {
            saved.before = static_cast<std::uint32_t>(part.tree.size() - 1);
        }
        part.tree.push_back(std::move(saved));
    };
    for (std::size_t number = own_from_; number <= last; ++number) {
        Node& node = *path_[number];
        const Move taken = move_of(*node.event);
        if (!sleeps(node, {taken.thread, taken.variant})) {
            node.sleep.push_back(taken);  // what it leads to is explored here
        }
        node.explored += 1;
        add(node);
        if (std::exchange(node.bounded->is_kept, false)) {
            std::erase(kept_, path_[number]);
        }
    }
    // Where this search goes on: only the way to it counts.
    add(*path_[last + 1]);
    part.tree.back().todo.clear();
    own_from_ = last + 1;
    sharer_->take(part);
}

}  // namespace coopcheck
