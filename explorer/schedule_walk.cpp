#include "explorer/schedule_walk.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/switch.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

/// Of steps that no run has shown yet.
constexpr std::size_t most_expected = 4'000;

std::uint64_t with_turn(std::uint64_t number, ThreadId last) {
    return number ^ (std::uint64_t{last.index()} + 1) * 0x9e3779b97f4a7c15ULL;
}

}  // namespace

ScheduleWalk::ScheduleWalk(SyncModel start, Limits limits) : limits_(limits) {
    beginnings_.emplace_back();
    Place root;
    root.model = std::move(start);
    places_.push_back(std::move(root));
}

std::uint64_t ScheduleWalk::choices_number(const std::vector<Choice>& choices) {
    std::uint64_t number = choices.size();
    for (const Choice& move : choices) {
        for (const std::uint64_t part :
             {std::uint64_t{move.thread.index()}, std::uint64_t{static_cast<std::uint8_t>(move.variant.kind)},
              std::uint64_t{move.variant.thread.index()}, std::uint64_t{move.variant.value}}) {
            number = (number ^ part) * 0x100000001b3ULL;
            number ^= number >> 29U;
        }
    }
    return number;
}

void ScheduleWalk::add(std::span<const RecordedRuns::Made> steps, std::span<const PendingOperation> pending,
                       std::span<const std::uint64_t> offers) {
    for (const RecordedRuns::Made& made : steps) {
        for (const auto& [object, state] : made.effects.born) {
            first_states_.try_emplace(object, state);
        }
    }
    const std::uint32_t run = runs_.add(steps, pending);
    classes_.insert(runs_.beginnings().back());
    for (std::size_t nth = 0; nth < offers.size(); ++nth) {
        offers_.add(runs_.beginnings()[nth], offers[nth]);
    }
    std::erase_if(expected_, [&](const Expected& expected) {
        return runs_.follows(run, expected.made, expected.number, expected.choice);
    });
    if (runs_.steps() > limits_.steps) {
        gave_up_ = true;
    }
    COOPCHECK_CHECK(waits_for_run_, "a run that nobody asked for");
    waits_for_run_ = false;
    if (run == 0) {
        depth_ = 1;
        find_moves();
        return;
    }
    // The move that it was made for is the last one that was tried.
    const Choice choice = last().moves[last().tried - 1];
    gave_up_ = gave_up_ || !runs_.follows(run, last().made, last().number, choice);
    last().tried -= 1;
}

void ScheduleWalk::expect(std::size_t at, const std::vector<Move>& sequence) {
    if (!knows_expected_ || fault(Fault::NothingIsBeyond)) {
        return;
    }
    auto run = static_cast<std::uint32_t>(runs_.size() - 1);
    Expected expected{
        .made = EventCounts(runs_.threads(run), 0), .number = runs_.beginnings()[at], .choice = {}};
    for (std::size_t number = 0; number < at; ++number) {
        expected.made[runs_.order()[number].index()] += 1;
    }
    for (const Move& move : sequence) {
        const std::size_t thread = move.thread.index();
        if (&move == &sequence.back()) {
            break;
        }
        // All but the last are steps of the run.
        const auto step = runs_.following(run, expected.made, expected.number, {move.thread, move.variant});
        if (!step) {
            knows_expected_ = false;
            return;
        }
        run = step->run;
        expected.made.resize(std::max(expected.made.size(), thread + 1), 0);
        expected.made[thread] += 1;
        expected.number += step->step->number;
    }
    expected.choice = {sequence.back().thread, sequence.back().variant};
    if (runs_.following(run, expected.made, expected.number, expected.choice)) {
        return;
    }
    expected_.push_back(std::move(expected));
    if (expected_.size() > most_expected) {
        knows_expected_ = false;
        expected_.clear();
    }
}

std::optional<Schedule> ScheduleWalk::next() {
    while (!gave_up_ && !knows_all_classes()) {
        while (depth_ > 0 && last().tried == last().moves.size()) {
            // Places of beginnings that were put off are come to again along what comes before them.
            depth_ -= 1;
        }
        if (depth_ == 0) {
            if (next_due_ == due_.size()) {
                return std::nullopt;
            }
            go_to(due_[next_due_]);
            next_due_ += 1;
            continue;
        }
        Place& place = last();
        const Choice choice = place.moves[place.tried];
        place.tried += 1;
        const auto following =
            runs_.following(beginnings_[place.beginning].run, place.made, place.number, choice);
        if (!following) {
            waits_for_run_ = true;
            return asked_for();
        }
        const std::uint64_t number = place.number + following->step->number;
        const std::uint64_t key = fault(Fault::ForgetWhoseTurn) ? number : with_turn(number, choice.thread);
        if (following->step->ends_run || !seen_.add(key)) {
            continue;
        }
        enter(add_beginning(place.beginning, *following));
        find_moves();
        if (beginnings_.size() > limits_.beginnings) {
            gave_up_ = true;
        }
    }
    return std::nullopt;
}

std::optional<Schedule> ScheduleWalk::asked_for() const {
    if (!waits_for_run_) {
        return std::nullopt;
    }
    Schedule schedule;
    if (depth_ == 0) {
        return schedule;
    }
    for (std::uint32_t at = last().beginning; at != 0; at = beginnings_[at].before) {
        schedule.push_back({beginnings_[at].step->thread, beginnings_[at].step->variant});
    }
    std::reverse(schedule.begin(), schedule.end());
    schedule.push_back(last().moves[last().tried - 1]);
    return schedule;
}

void ScheduleWalk::begin_bound() {
    due_ = std::exchange(later_, {});
    next_due_ = 0;
}

std::uint32_t ScheduleWalk::add_beginning(std::uint32_t before, const RecordedRuns::Following& following) {
    beginnings_.push_back({before, beginnings_[before].depth + 1, following.run, following.step});
    return static_cast<std::uint32_t>(beginnings_.size() - 1);
}

void ScheduleWalk::know(const Operation& operation, SyncModel& model) const {
    for (const ObjectId object : {operation.object, operation.mutex}) {
        if (object.valid() && !model.known(object)) {
            if (const auto first = first_states_.find(object); first != first_states_.end()) {
                model.set(object, first->second);
            }
        }
    }
}

void ScheduleWalk::enter(std::uint32_t beginning) {
    if (places_.size() == depth_) {
        places_.emplace_back();
    }
    Place& place = places_[depth_];
    const Place& before = places_[depth_ - 1];
    const RecordedStep& step = *beginnings_[beginning].step;
    depth_ += 1;
    place.beginning = beginning;
    place.model = before.model;
    place.made = before.made;
    place.number = before.number + step.number;
    place.moves.clear();
    place.tried = 0;
    if (place.made.size() <= step.thread.index()) {
        place.made.resize(step.thread.index() + 1, 0);
    }
    place.made[step.thread.index()] += 1;
    know(step.operation, place.model);
    place.model.apply(step.thread, step.operation, step.variant);
    for (const auto& [object, state] : step.effects.born) {
        if (!place.model.known(object)) {
            place.model.set(object, state);
        }
    }
    for (const auto& [object, state] : step.effects.renewed) {
        place.model.set(object, state);
    }
    if (step.effects.cancel_enabled) {
        place.model.set_cancel_enabled(step.thread, *step.effects.cancel_enabled);
    }
}

void ScheduleWalk::find_offers() {
    Place& place = last();
    const std::uint32_t run = beginnings_[place.beginning].run;
    offered_.clear();
    bool somebody_waits_for_time = false;
    for (const bool time_is_up : {false, true}) {
        for (std::size_t thread = 0; thread < runs_.threads(run); ++thread) {
            const ThreadId id{static_cast<std::uint32_t>(thread)};
            const Operation* operation = runs_.operation(run, thread, count_of(place.made, thread));
            if (operation == nullptr || !place.model.knows(id) || !place.model.live(id)) {
                continue;
            }
            if (time_is_up) {
                if (place.model.can_time_out(id, *operation)) {
                    offered_.push_back({id, Variant::timeout()});
                }
                continue;
            }
            know(*operation, place.model);
            place.model.options(id, *operation, variants_);
            for (const Variant variant : variants_) {
                offered_.push_back({id, variant});
            }
            somebody_waits_for_time = somebody_waits_for_time || operation->timed;
        }
        if (!offered_.empty() || !somebody_waits_for_time || place.model.model_options().explore_timeouts) {
            break;
        }
    }
}

bool ScheduleWalk::last_wants_to_go_on() const {
    const Place& place = last();
    const Beginning& beginning = beginnings_[place.beginning];
    if (beginning.step == nullptr || offers_to_yield(beginning.step->operation.kind)) {
        return fault(Fault::StayWhileOneCan) && beginning.step != nullptr;
    }
    const std::size_t thread = beginning.step->thread.index();
    const Operation* operation = runs_.operation(beginning.run, thread, count_of(place.made, thread));
    return operation != nullptr && place.model.live(beginning.step->thread) &&
           place.model.enabled(beginning.step->thread, *operation);
}

void ScheduleWalk::find_moves() {
    find_offers();
    Place& place = last();
    const std::uint64_t* known = offers_.find(place.number);
    if (known != nullptr && *known != choices_number(offered_)) {
        gave_up_ = true;  // what is on record does not tell what the program does
        return;
    }
    if (!last_wants_to_go_on()) {
        place.moves = offered_;
        return;
    }
    const ThreadId last_thread = beginnings_[place.beginning].step->thread;
    std::copy_if(offered_.begin(), offered_.end(), std::back_inserter(place.moves),
                 [&](const Choice& choice) { return choice.thread == last_thread; });
    if (place.moves.size() < offered_.size() && !fault(Fault::NothingIsBeyond)) {
        later_.push_back(place.beginning);
    }
}

void ScheduleWalk::go_to(std::uint32_t beginning) {
    std::vector<std::uint32_t> way;
    // Places that were left are still those of the beginnings that they were made for.
    std::uint32_t at = beginning;
    for (; beginnings_[at].depth >= places_.size() || places_[beginnings_[at].depth].beginning != at;
         at = beginnings_[at].before) {
        way.push_back(at);
    }
    depth_ = std::size_t{beginnings_[at].depth} + 1;
    begun_at_ = beginnings_[beginning].depth;
    for (auto next = way.rbegin(); next != way.rend(); ++next) {
        enter(*next);
    }
    find_offers();
    Place& place = last();
    const ThreadId last_thread = beginnings_[beginning].step->thread;
    place.moves.clear();
    place.tried = 0;
    std::copy_if(offered_.begin(), offered_.end(), std::back_inserter(place.moves),
                 [&](const Choice& choice) { return choice.thread != last_thread; });
}

double ScheduleWalk::explored() const {
    double share = 1;
    double sum = 0;
    for (std::size_t depth = begun_at_; depth < depth_; ++depth) {
        const Place& place = places_[depth];
        if (place.moves.empty() || place.tried == 0) {
            continue;
        }
        share /= static_cast<double>(place.moves.size());
        sum += share * static_cast<double>(place.tried - 1);
    }
    sum += share;
    return due_.empty()
               ? sum
               : std::min(1.0, (static_cast<double>(next_due_) - 1 + sum) / static_cast<double>(due_.size()));
}

}  // namespace coopcheck
