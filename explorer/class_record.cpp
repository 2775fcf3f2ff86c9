// ClassSearch within a bound, as long as schedules can be gone through on record.
#include <algorithm>
#include <utility>

#include "explorer/class_search.hpp"
#include "explorer/run_findings.hpp"

namespace coopcheck {

bool ClassSearch::can_go_on_record() const {
    return options_.bound && options_.recorded_beginnings > 0 && sharer_ == nullptr &&
           options_.footprints == FootprintSource::Locks && kept_.empty() && !resumed_at_;
}

bool ClassSearch::run_on_record() {
    execution_.restart();
    record_ = std::make_unique<ScheduleWalk>(
        execution_.model(), ScheduleWalk::Limits{options_.recorded_beginnings, options_.recorded_steps});
    begin();
    std::size_t before = 0;
    const auto end_bound = [&] {
        paths_at_bound_.push_back(recorded_paths_ - std::exchange(before, recorded_paths_));
    };
    std::optional<Schedule> beginning = Schedule{};
    for (;;) {
        while (beginning) {
            run_along(*beginning);
            if (done()) {
                end_bound();
                return true;
            }
            put_on_record();
            if (keeper_ != nullptr && made_before_ == 0 && keeper_->is_due()) {
                keeper_->keep(state());
            }
            beginning = record_->next();
        }
        if (record_->gave_up()) {
            return false;
        }
        end_bound();
        finished_bound_ = std::max(finished_bound_.value_or(0), bound_);
        if (record_->is_nothing_left() || bound_ == *options_.bound) {
            return true;
        }
        bound_ += 1;
        record_->begin_bound();
        beginning = record_->next();
    }
}

void ClassSearch::leave_record() {
    record_.reset();
    path_.clear();
    steps_of_thread_.clear();
    effects_.clear();
    offers_on_path_.clear();
    made_before_ = 0;
}

void ClassSearch::go_back_along(const Schedule& beginning) {
    std::size_t common = 0;
    while (common < beginning.size() && path_[common]->event &&
           Choice{path_[common]->event->thread, path_[common]->event->variant} == beginning[common]) {
        common += 1;
    }
    if (path_.size() == 1) {
        return;  // nothing was run yet
    }
    for (std::size_t number = common; number < path_.size(); ++number) {
        if (path_[number]->event) {
            steps_of_thread_[path_[number]->event->thread.index()] -= 1;
        }
    }
    path_.resize(common + 1);
    path_.back()->event.reset();
    effects_.resize(common);
    offers_on_path_.resize(common);
    execution_.revisit(path_.back()->place);
}

void ClassSearch::run_along(const Schedule& beginning) {
    replays_ = made_before_ > 0;
    go_back_along(beginning);
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
        offers_on_path_.push_back(ScheduleWalk::offers_number(moves));
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

void ClassSearch::put_on_record() {
    if (!path_.back()->fairness.spinners({options_.spin_patience}).empty()) {
        record_->give_up();  // fairness is no property of classes
    }
    if (record_->gave_up()) {
        return;
    }
    std::vector<RecordedRuns::Made> made;
    made.reserve(effects_.size());
    for (std::size_t number = 0; number < effects_.size(); ++number) {
        made.push_back({path_[number]->event.get(), effects_[number]});
    }
    made.back().ends_run = path_.back()->place == nullptr;
    record_->add(made, pending_, offers_on_path_);
}

}  // namespace coopcheck
