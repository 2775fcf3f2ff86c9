#include "explorer/wakeup_tree.hpp"

#include <algorithm>
#include <utility>

#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

/// The sequence's first event of the same thread.
auto same_thread(const Move& move, const std::vector<Move>& sequence) {
    return std::find_if(sequence.begin(), sequence.end(),
                        [&](const Move& other) { return other.thread == move.thread; });
}

}  // namespace

bool is_initial(const Move& move, const std::vector<Move>& sequence) {
    const auto own = same_thread(move, sequence);
    return own != sequence.end() && own->variant == move.variant &&
           std::none_of(sequence.begin(), own,
                        [&](const Move& earlier) { return earlier.label.depends_on(own->label); });
}

bool can_come_first(const Move& move, const std::vector<Move>& sequence) {
    if (same_thread(move, sequence) != sequence.end()) {
        return is_initial(move, sequence);
    }
    return std::none_of(sequence.begin(), sequence.end(),
                        [&](const Move& other) { return other.label.depends_on(move.label); });
}

void WakeupTree::insert(std::vector<Move> sequence) {
    std::vector<Branch>* branches = &branches_;
    for (;;) {
        const auto covering = std::find_if(branches->begin(), branches->end(), [&](const Branch& branch) {
            return can_come_first(branch.move, sequence);
        });
        if (covering == branches->end()) {
            break;
        }
        const auto own = same_thread(covering->move, sequence);
        if (own != sequence.end()) {
            sequence.erase(own);
        }
        if (covering->rest.empty() || sequence.empty()) {
            return;
        }
        branches = &covering->rest.branches_;
    }
    for (Move& move : sequence) {
        branches->push_back({std::move(move), {}});
        branches = &branches->back().rest.branches_;
    }
}

void WakeupTree::insert_alone(const Move& move) {
    const bool is_known = std::any_of(branches_.begin(), branches_.end(), [&](const Branch& branch) {
        return branch.move.is(move.thread, move.variant);
    });
    if (!is_known) {
        branches_.push_back({move, {}});
    }
}

void WakeupTree::clear() { branches_.clear(); }

void WakeupTree::put_back(Branch branch) { branches_.insert(branches_.begin(), std::move(branch)); }

void WakeupTree::append(Branch branch) { branches_.push_back(std::move(branch)); }

WakeupTree::Branch WakeupTree::take() {
    Branch first = std::move(branches_.front());
    branches_.erase(branches_.begin());
    return first;
}

void insert_reversal(const std::vector<Move>& sequence, const std::vector<Move>& sleep, Reduction reduction,
                     WakeupTree& todo) {
    if (reduction == Reduction::Source) {
        const auto covers = [&](const Move& move) {
            return fault(Fault::WeakInitialsAreInitials) ? can_come_first(move, sequence)
                                                         : is_initial(move, sequence);
        };
        const auto& branches = todo.branches();
        const bool covered =
            std::any_of(sleep.begin(), sleep.end(), covers) ||
            std::any_of(branches.begin(), branches.end(),
                        [&](const WakeupTree::Branch& branch) { return covers(branch.move); });
        if (!covered) {
            todo.insert_alone(sequence.front());
        }
        return;
    }
    const bool covered = std::any_of(sleep.begin(), sleep.end(),
                                     [&](const Move& move) { return can_come_first(move, sequence); });
    if (!covered || fault(Fault::InsertWithoutSleep)) {
        todo.insert(fault(Fault::FirstMoveOnly) ? std::vector<Move>{sequence.front()} : sequence);
    }
}

}  // namespace coopcheck
