#include "explorer/delay_strategy.hpp"

#include <algorithm>
#include <tuple>

#include "core/switch.hpp"

namespace coopcheck {

void DelayStrategy::begin_run(std::size_t /*run*/) {
    step_ = 0;
    has_yielded_ = false;
    if (!profiled_) {
        places_.clear();
    } else {
        delay_ = places_[next_++].step;
    }
}

void DelayStrategy::note_place(const Operation& operation) {
    const auto before = std::count_if(places_.begin(), places_.end(),
                                      [&](const Place& place) { return place.site == operation.site; });
    places_.push_back({step_, operation.site, static_cast<std::size_t>(before)});
}

Choice DelayStrategy::choose(const Turn& turn) {
    const auto current =
        std::find_if(turn.candidates.begin(), turn.candidates.end(),
                     [&](const Candidate& candidate) { return candidate.thread == turn.last; });
    const bool goes_on = current != turn.candidates.end() && !has_yielded_;
    if (goes_on && turn.candidates.size() > 1 && !profiled_) {
        note_place(current->operation);
    }
    if (goes_on && !(profiled_ && step_ == delay_)) {
        return {current->thread, current->variants.front()};
    }
    // Round the circle.
    const auto later = std::find_if(
        turn.candidates.begin(), turn.candidates.end(),
        [&](const Candidate& candidate) { return turn.last.valid() && candidate.thread > turn.last; });
    const Candidate& next = later == turn.candidates.end() ? turn.candidates.front() : *later;
    return {next.thread, next.variants.front()};
}

void DelayStrategy::stepped(ThreadId /*thread*/, const StepResult& step, const Execution& /*execution*/) {
    step_ += 1;
    has_yielded_ = offers_to_yield(step.operation.kind);
}

void DelayStrategy::end_run(bool /*complete*/) {
    if (profiled_) {
        return;
    }
    profiled_ = true;
    std::stable_sort(places_.begin(), places_.end(), [](const Place& left, const Place& right) {
        return std::tuple(left.before, left.step) < std::tuple(right.before, right.step);
    });
}

}  // namespace coopcheck
