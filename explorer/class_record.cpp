// ClassSearch within a bound: schedules are gone through on record.
#include <algorithm>
#include <numeric>

#include "explorer/class_search.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

void ClassSearch::count_step(ThreadId thread) {
    if (steps_of_thread_.size() <= thread.index()) {
        steps_of_thread_.resize(thread.index() + 1, 0);
    }
    steps_of_thread_[thread.index()] += 1;
}

void ClassSearch::count_bound() {
    const std::size_t before =
        std::accumulate(paths_at_bound_.begin(), paths_at_bound_.end(), std::size_t{0});
    paths_at_bound_.push_back(paths_made() - before);
}

void ClassSearch::run_on_record() {
    begin();
    if (!record_) {
        record_ = std::make_shared<ScheduleWalk>(
            execution_.model(), ScheduleWalk::Limits{options_.recorded_beginnings, options_.recorded_steps});
    }
    std::optional<Schedule> beginning = record_->asked_for();
    if (!beginning) {
        beginning = record_->next();
    }
    for (;;) {
        while (beginning) {
            const std::size_t paths = paths_made();
            run_along(*beginning);
            if (paths_made() != paths && !assumptions_.contradicted()) {
                put_on_record();
            }
            if (done()) {
                count_bound();
                return;
            }
            if (keeper_ != nullptr && made_before_ == 0 && keeper_->is_due()) {
                keeper_->keep(state());
            }
            beginning = record_->next();
        }
        if (record_->gave_up()) {
            return;
        }
        count_bound();
        finished_bound_ = std::max(finished_bound_.value_or(0), bound_);
        if (record_->is_nothing_left() || bound_ == *options_.bound) {
            return;
        }
        bound_ += 1;
        record_->begin_bound();
        beginning = record_->next();
    }
}

void ClassSearch::resume_record(const SearchState& state) {
    finished_bound_ = state.finished_bound;
    begun_before_ = state.steps_begun;
    record_ = state.record;
    if (!record_) {
        made_before_ = state.counts.paths();
        return;
    }
    bound_ = state.bound;
    paths_at_bound_ = state.paths_at_bound;
}

void ClassSearch::save_record(SearchState& state) const {
    state.is_on_record = true;
    state.steps_begun =
        is_in_recorded_run_ && made_before_ == 0 ? std::max(begun_before_, path_.size() - 1) : begun_before_;
    state.record = made_before_ == 0 ? record_ : nullptr;
    state.bound = bound_;
    state.finished_bound = finished_bound_;
    state.paths_at_bound = paths_at_bound_;
    if (!state.paths_at_bound.empty() && stopped_) {
        state.paths_at_bound.pop_back();  // of the bound that is not finished
    }
}

bool ClassSearch::go_back_along(const Schedule& beginning) {
    std::size_t common = 0;
    while (common < beginning.size() && path_[common]->event &&
           Choice{path_[common]->event->thread, path_[common]->event->variant} == beginning[common]) {
        common += 1;
    }
    if (path_.size() == 1) {
        return true;  // nothing was run yet
    }
    for (std::size_t number = common; number < path_.size(); ++number) {
        if (path_[number]->event) {
            steps_of_thread_[path_[number]->event->thread.index()] -= 1;
        }
    }
    if (path_[common]->place == nullptr) {
        return false;
    }
    path_.resize(common + 1);
    path_.back()->event.reset();
    effects_.resize(common);
    offers_on_path_.resize(common);
    variants_on_path_.resize(common);
    execution_.revisit(path_.back()->place);
    return true;
}

void ClassSearch::run_along(const Schedule& beginning) {
    if (!go_back_along(beginning)) {
        record_->give_up();  // the run has ended there
        return;
    }
    is_in_recorded_run_ = true;
    for (;;) {
        const Offers offered = offers();
        std::vector<Choice> moves = offered.moves;
        if (offered.somebody_held_back || offered.anybody_at_limit) {
            record_->give_up();  // that is no property of classes
        }
        const bool lazy = !execution_.model().model_options().explore_timeouts;
        for (const ParkedThread& parked : execution_.parked()) {
            if (offered.moves.empty() && lazy && !offered.anybody_at_limit &&
                execution_.model().can_time_out(parked.thread, parked.operation)) {
                moves.push_back({parked.thread, Variant::timeout()});
            }
            if (parked.operation.kind == OpKind::SystemCall || parked.operation.outlasted) {
                record_->give_up();  // what can be done next is known to the kernel, or to the clock
            }
        }
        if (moves.empty()) {
            finish_stuck(offered);
            break;
        }
        const std::size_t number = path_.size() - 1;
        const Choice choice = number < beginning.size() ? beginning[number] : choose_on_record(moves);
        if (std::find(moves.begin(), moves.end(), choice) == moves.end()) {
            record_->give_up();
            break;
        }
        offers_on_path_.push_back(ScheduleWalk::choices_number(moves));
        variants_on_path_.emplace_back();
        for (const Choice& other : moves) {
            // Whose time is up first when nothing else can be done is as open as which variant is taken.
            if (other != choice && (other.thread == choice.thread || offered.moves.empty())) {
                variants_on_path_.back().push_back(move_to(other));
            }
        }
        // What is known is only made to get there.
        replays_ = made_before_ > 0 || number + 1 < beginning.size() || number < begun_before_;
        const bool goes_on = step_on_record(choice);
        if (!goes_on || done()) {
            break;
        }
    }
    replays_ = false;
}

Choice ClassSearch::choose_on_record(const std::vector<Choice>& moves) const {
    const auto same = std::find_if(moves.begin(), moves.end(),
                                   [&](const Choice& choice) { return choice.thread == path_.back()->last; });
    return same != moves.end() ? *same : moves.front();
}

bool ClassSearch::step_on_record(Choice choice) {
    const SyncModel before = execution_.model();
    const bool goes_on = step({{choice.thread, choice.variant, {}}, {}});
    effects_.emplace_back();
    if (!goes_on) {
        return false;
    }
    const Event& event = *path_[path_.size() - 2]->event;
    const std::optional<SideEffects> effects =
        side_effects(before, execution_.model(), event.thread, event.operation, event.variant);
    const bool others_stay = std::all_of(
        pending_.begin(), pending_.end(),
        [&](const PendingOperation& operation) { return is_parked_where_it_was(operation.thread); });
    if (effects && others_stay) {
        effects_.back() = *effects;
    } else {
        record_->give_up();
    }
    return true;
}

void ClassSearch::expect_variants() {
    EventOrder order;
    for (std::size_t number = 0; number < effects_.size(); ++number) {
        order.add(path_[number]->event->thread, path_[number]->event->label);
    }
    for (std::size_t number = 0; number < variants_on_path_.size(); ++number) {
        for (const Move& other : variants_on_path_[number]) {
            // With all that does not happen after the step; and, where the other variant depends on some of
            // that, without it.
            std::vector<Move> with;
            std::vector<Move> without;
            std::vector<std::size_t> left_out;
            for (std::size_t later = number + 1; later < effects_.size(); ++later) {
                if (order.before(number, later)) {
                    continue;
                }
                const Move move = move_of(*path_[later]->event);
                with.push_back(move);
                const bool comes_after = std::any_of(left_out.begin(), left_out.end(), [&](std::size_t one) {
                    return order.before(one, later);
                });
                if (comes_after || dependent(move, other)) {
                    left_out.push_back(later);
                } else {
                    without.push_back(move);
                }
            }
            with.push_back(other);
            record_->expect(number, with);
            if (!left_out.empty()) {
                without.push_back(other);
                record_->expect(number, without);
            }
        }
    }
}

void ClassSearch::put_on_record() {
    if (!path_.back()->fairness.spinners({options_.spin_patience}).empty()) {
        record_->give_up();  // fairness is no property of classes
    }
    std::vector<RecordedRuns::Made> made;
    made.reserve(effects_.size());
    for (std::size_t number = 0; number < effects_.size(); ++number) {
        made.push_back({path_[number]->event.get(), effects_[number]});
    }
    if (made.empty()) {
        return;  // it was given up before the first step
    }
    // Who ends as the last one ends the run, but somebody else could have been the last one.
    const Event& last = *made.back().event;
    made.back().ends_run = path_.back()->place == nullptr &&
                           (last.operation.kind != OpKind::ThreadExit || last.label.has_world());
    record_->add(made, pending_, offers_on_path_);
    expect_variants();
    for (const Reversal& reversal : reversals_on_path_) {
        record_->expect(reversal.at, reversal.sequence);
    }
}

}  // namespace coopcheck
