#include "explorer/pos_strategy.hpp"

#include <algorithm>

namespace coopcheck {

std::string PosStrategy::name() const { return "pos, seed " + std::to_string(seed_); }

void PosStrategy::begin_run(std::size_t run) {
    random_ = RandomStream(seed_, run);
    priorities_.clear();
}

std::optional<std::uint64_t>& PosStrategy::priority(ThreadId thread) {
    if (priorities_.size() <= thread.index()) {
        priorities_.resize(thread.index() + 1);
    }
    return priorities_[thread.index()];
}

Choice PosStrategy::choose(const Turn& turn) {
    // An operation that cannot go on needs no priority yet: what enables it conflicts with it, so it would be
    // drawn again.
    for (const Candidate& candidate : turn.candidates) {
        if (std::optional<std::uint64_t>& own = priority(candidate.thread); !own) {
            own = random_.next();
        }
    }
    const Candidate& next = *std::max_element(turn.candidates.begin(), turn.candidates.end(),
                                              [&](const Candidate& left, const Candidate& right) {
                                                  return *priority(left.thread) < *priority(right.thread);
                                              });
    const Choice choice = with_any_variant(next, random_);
    const SyncModel& model = turn.execution.model();
    chosen_.clear();
    model.footprint(choice.thread, next.operation, choice.variant, true, chosen_);
    priority(choice.thread).reset();
    for (const ParkedThread& parked : turn.execution.parked()) {
        if (std::optional<std::uint64_t>& own = priority(parked.thread); own) {
            other_.clear();
            model.footprint(parked.thread, parked.operation, Variant::normal(), true, other_);
            if (other_.conflicts_with(chosen_)) {
                own.reset();
            }
        }
    }
    return choice;
}

}  // namespace coopcheck
