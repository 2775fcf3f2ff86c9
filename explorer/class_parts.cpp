// Parts of a search for classes: stopped and gone on with, or given to others.
#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "explorer/class_search.hpp"
#include "explorer/search_sharer.hpp"

namespace coopcheck {

void ClassSearch::step_again(const ClassPlace& from) {
    const Choice choice{from.taken->thread, from.taken->variant};
    const auto parked = execution_.parked();
    const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
        return candidate.thread == choice.thread;
    });
    const std::size_t number = path_.size();
    if (entry == parked.end() || entry->operation.kind != from.kind || !is_possible(choice)) {
        throw Error("The program does not do what it did when the search began: step " +
                    std::to_string(number) + " of a schedule is another one now.");
    }
    step({*from.taken, {}});
    if (path_.size() != number + 1 || path_.back()->place == nullptr) {
        throw Error("The program does not do what it did when the search began: it ends after " +
                    std::to_string(number) + " steps.");
    }
}

void ClassSearch::resume(const SearchState& state) {
    counts_ = state.counts;
    used_fairness_ = state.used_fairness;
    if (options_.bound) {
        resume_record(state);
        return;
    }
    is_nothing_left_ = state.path.empty();
    if (is_nothing_left_) {
        return;
    }
    begin();
    replays_ = true;
    for (const ClassPlace& place : state.path) {
        const std::size_t number = path_.size() - 1;
        if (place.taken) {
            step_again(place);
        }
        Node& node = *path_[number];
        node.sleep = place.sleep;
        node.todo = place.todo;
        node.is_fresh = place.is_fresh;
        if (assumptions_.contradicted()) {
            break;
        }
    }
    replays_ = false;
    own_from_ = state.own_from;
    analysed_ = state.analysed;
}

ClassPlace ClassSearch::saved(const Node& node) const {
    ClassPlace place{.sleep = node.sleep, .todo = node.todo, .is_fresh = node.is_fresh};
    if (node.event) {
        place.taken = move_of(*node.event);
        place.kind = node.event->operation.kind;
    }
    return place;
}

SearchState ClassSearch::state() const {
    SearchState state;
    if (options_.bound) {
        save_record(state);
    }
    for (const ClassNodePtr& node : options_.bound ? std::vector<ClassNodePtr>{} : path_) {
        state.path.push_back(saved(*node));
    }
    // A run that has ended, and places from which everything is explored, as in back_up().
    bool has_ended = !path_.empty() && path_.back()->place == nullptr;
    while (!state.path.empty() && state.path.back().todo.empty() &&
           (!state.path.back().is_fresh || std::exchange(has_ended, false))) {
        state.path.pop_back();
        if (!state.path.empty()) {
            ClassPlace& last = state.path.back();
            last.sleep.push_back(*std::exchange(last.taken, std::nullopt));
        }
    }
    state.own_from = std::min(own_from_, state.path.size());
    state.analysed = state.path.empty() ? 0 : std::min(analysed_, state.path.size() - 1);
    state.used_fairness = used_fairness_;
    state.counts = counts_;
    state.assumptions = assumptions_;
    state.findings = findings_.all();
    state.races = races_.all();
    return state;
}

void ClassSearch::give_parts() {
    if (!news_.empty()) {
        SearchState state;
        state.news = std::exchange(news_, {});
        sharer_->tell(state);
    }
    if (assumptions_.contradicted() || stopped_ || !sharer_->wants_part()) {
        return;
    }
    std::size_t last = own_from_;
    while (last + 1 < path_.size() && (path_[last]->todo.empty() || !path_[last]->event)) {
        last += 1;
    }
    if (last + 1 >= path_.size()) {
        return;  // what is left is at the end of the path
    }
    SearchState part;
    for (std::size_t number = own_from_; number <= last; ++number) {
        Node& node = *path_[number];
        node.sleep.push_back(move_of(*node.event));  // what it leads to is explored here
        part.path.push_back(saved(node));
        node.todo.clear();
    }
    // The way to the next place is not part of what the others get.
    own_from_ = last + 1;
    sharer_->take(part);
}

void ClassSearch::tell(ClassNews news) {
    if (sharer_ != nullptr) {
        news_.push_back(std::move(news));
    }
}

void ClassSearch::tell_reversal(std::size_t at, const std::vector<Move>& sequence) {
    WakeupTree fresh;
    insert_reversal(sequence, path_[at]->sleep, options_.reduction, fresh);
    if (!fresh.empty()) {
        tell({ClassNews::Kind::Reversal, at, sequence});
    }
}

void ClassSearch::tell_impossible() {
    const std::size_t at = path_.size() - 1;
    tell({ClassNews::Kind::Impossible, at, {}});
    for (const Choice other : offers().moves) {
        if (!sleeps(*path_.back(), other)) {
            tell({ClassNews::Kind::Alone, at, {move_to(other)}});
        }
    }
}

}  // namespace coopcheck
