// Branches of ExitBlockSearch as values: a search that goes on where another was stopped, leaves what is left
// to do, or gives a part of it away.

#include <cstddef>

#include "explorer/exit_block.hpp"
#include "explorer/search_cut.hpp"

namespace coopcheck {

void ExitBlockSearch::resume(const SearchState& state) {
    static_cast<void>(root());
    saved_ = SavedBranches(state);
    for (const SavedBranch& branch : state.stack) stack_.push_back(saved_.unpack(branch));
    for (const SavedBranch& branch : state.deferred) deferred_.push_back(saved_.unpack(branch));
    bound_ = state.bound;
    finished_bound_ = state.finished_bound;
    used_fairness_ = state.used_fairness;
    counts_ = state.counts;
    paths_at_bound_ = state.paths_at_bound;
    has_enough_ = findings_.size() >= options_.max_findings;
    resumed_ = true;
}

SearchState ExitBlockSearch::state() const {
    SearchState state;
    BranchSaver saver(state, saved_);
    for (const Branch& branch : stack_) state.stack.push_back(saver.save(branch));
    for (const Branch& branch : deferred_) state.deferred.push_back(saver.save(branch));
    state.bound = bound_;
    state.finished_bound = finished_bound_;
    state.used_fairness = used_fairness_;
    state.counts = counts_;
    state.paths_at_bound = paths_at_bound_;
    state.paths_at_bound.resize(bound_);
    state.assumptions = assumptions_;
    state.findings = findings_.all();
    state.predicted = predicted_.all();
    state.races = races_.all();
    return state;
}

void ExitBlockSearch::give_part() {
    const auto cut = place_to_cut(stack_, [&](const Branch& branch) { return !is_beyond_bound(branch); });
    if (!cut) {
        return;
    }
    const auto end = stack_.begin() + static_cast<std::ptrdiff_t>(*cut);
    SearchState part;
    BranchSaver saver(part, saved_);
    for (auto branch = stack_.begin(); branch != end; ++branch) {
        part.stack.push_back(saver.save(*branch));
        saved_.give_up(*branch);
    }
    stack_.erase(stack_.begin(), end);
    part.bound = bound_;
    part.finished_bound = finished_bound_;
    part.assumptions = assumptions_;
    sharer_->take(part);
}

void ExitBlockSearch::go_to(Branch& branch) {
    if (branch.node.saved) {
        saved_.bring_back(branch, start_, execution_, runner_, {options_.spin_patience});
    } else {
        execution_.revisit(branch.node.place);
    }
}

}  // namespace coopcheck
