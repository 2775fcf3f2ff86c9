#include "explorer/fewest_preemptions.hpp"

#include <algorithm>
#include <utility>

#include "core/switch.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

void join(EventCounts& into, const EventCounts& from) {
    if (into.size() < from.size()) {
        into.resize(from.size(), 0);
    }
    for (std::size_t thread = 0; thread < from.size(); ++thread) {
        into[thread] = std::max(into[thread], from[thread]);
    }
}

bool can_wait(OpKind kind) {
    return kind == OpKind::FutexResume || kind == OpKind::SystemCall || traits(kind).mover == Mover::Acquire;
}

namespace {

/// Of each event whether other threads touch something of what it touches.
std::vector<char> shared_events(const std::vector<const Event*>& events,
                                const std::vector<PendingOperation>& pending) {
    std::unordered_map<Location, ThreadId> owners;
    std::unordered_map<Location, bool> shared;
    for (const Event* event : events) {
        for (const Label::Entry& entry : event->label.entries()) {
            const auto [owner, is_first] = owners.try_emplace(entry.location, event->thread);
            bool& is_shared = shared[entry.location];
            is_shared =
                is_shared || owner->second != event->thread || entry.location.kind() == Location::Kind::World;
        }
    }
    for (const PendingOperation& waiting : pending) {
        shared[Location::object(waiting.operation.object)] = true;
        shared[Location::object(waiting.operation.mutex)] = true;
        shared[Location::thread(waiting.operation.thread)] = true;
        shared[Location::thread(waiting.thread)] = true;
        shared[Location::wake(waiting.thread)] = true;
    }
    std::vector<char> result;
    result.reserve(events.size());
    for (const Event* event : events) {
        const auto entries = event->label.entries();
        result.push_back(static_cast<char>(std::any_of(
            entries.begin(), entries.end(), [&](const auto& entry) { return shared.at(entry.location); })));
    }
    return result;
}

}  // namespace

std::size_t FewestPreemptions::Hash::operator()(const EventCounts& counts) const {
    std::size_t hash = counts.size();
    for (const std::uint32_t count : counts) {
        hash ^= count + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
    }
    return hash;
}

void FewestPreemptions::look_at(const std::vector<const Event*>& events, const EventOrder& order,
                                const std::vector<PendingOperation>& pending, const SyncModel& end,
                                std::vector<ThreadId> generous) {
    events_ = &events;
    order_ = &order;
    end_ = &end;
    pending_ = pending;
    generous_ = std::move(generous);
    rewind_.look_at(events, order, end);
    of_thread_.clear();
    const auto note = [&](ThreadId thread, std::size_t number) {
        if (of_thread_.size() <= thread.index()) {
            of_thread_.resize(thread.index() + 1);
        }
        of_thread_[thread.index()].push_back(number);
    };
    for (std::size_t number = 0; number < events.size(); ++number) {
        note(events[number]->thread, number);
    }
    for (std::size_t nth = 0; nth < pending.size(); ++nth) {
        note(pending[nth].thread, events.size() + nth);
    }
    is_shared_ = shared_events(events, pending);
}

const FewestPreemptions::Expected* FewestPreemptions::expected_of(std::size_t thread) const {
    const auto& all = question_->expected;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Expected& expected) { return expected.thread.index() == thread; });
    return found == all.end() ? nullptr : &*found;
}

bool FewestPreemptions::is_ready(const EventCounts& made, std::size_t thread) const {
    const std::uint32_t done = made[thread];
    const EventCounts* after = nullptr;
    if (done < count_of(question_->events, thread)) {
        after = &order_->times(of_thread_[thread][done]);
    } else if (const Expected* expected = expected_of(thread);
               expected != nullptr && done == count_of(question_->events, thread)) {
        after = &expected->after;
    } else {
        return false;
    }
    for (std::size_t other = 0; other < after->size(); ++other) {
        if (other != thread && (*after)[other] > count_of(made, other)) {
            return false;
        }
    }
    return true;
}

bool FewestPreemptions::is_enabled(const EventCounts& made, std::size_t thread) {
    if (of_thread_[thread].size() <= made[thread]) {
        return false;
    }
    const std::size_t number = of_thread_[thread][made[thread]];
    OperationOnPath late{.number = number, .thread = ThreadId{static_cast<std::uint32_t>(thread)}};
    if (number < events_->size()) {
        late.event = (*events_)[number];
        late.operation = late.event->operation;
    } else {
        late.operation = pending_[number - events_->size()].operation;
    }
    if (!can_wait(late.operation.kind)) {
        return true;
    }
    if (late.operation.kind == OpKind::SystemCall) {
        return false;  // only the kernel knows
    }
    // Operations that are only expected have left no states: what they would change is not known.
    for (std::size_t other = 0; other < made.size(); ++other) {
        if (made[other] > count_of(question_->events, other)) {
            return false;
        }
    }
    removed_.assign(events_->size(), 1);
    for (std::size_t other = 0; other < of_thread_.size(); ++other) {
        for (std::uint32_t nth = 0; nth < count_of(made, other); ++nth) {
            removed_[of_thread_[other][nth]] = 0;
        }
    }
    const auto at =
        static_cast<std::size_t>(std::find(removed_.begin(), removed_.end(), 1) - removed_.begin());
    const bool enabled = rewind_.without(removed_, at, late).enabled(late.thread, late.operation);
    rewind_.back(late);
    return enabled;
}

bool FewestPreemptions::is_generous(ThreadId thread) const {
    return std::find(generous_.begin(), generous_.end(), thread) != generous_.end();
}

bool FewestPreemptions::leaving_costs(const State& state) {
    if (state.last == no_thread) {
        return false;
    }
    const std::size_t thread = state.last;
    const std::uint32_t done = state.made[thread];
    const std::uint32_t all = count_of(question_->events, thread);
    if (done > all || done == 0) {
        return false;
    }
    const OpKind last_made = (*events_)[of_thread_[thread][done - 1]]->operation.kind;
    if (offers_to_yield(last_made) && !fault(Fault::YieldingCosts)) {
        return false;
    }
    if (!question_->to_the_end && is_generous(ThreadId{static_cast<std::uint32_t>(thread)})) {
        return false;
    }
    if (done < all) {
        return is_ready(state.made, thread) || is_enabled(state.made, thread);
    }
    if (const Expected* expected = expected_of(thread)) {
        switch (expected->leaving) {
            case Expected::Leaving::Costs:
                return true;
            case Expected::Leaving::UnlessHeld:
                return question_->nothing_held;
            case Expected::Leaving::Ask:
                return is_enabled(state.made, thread);
            case Expected::Leaving::Free:
                return false;
        }
    }
    return question_->to_the_end && is_enabled(state.made, thread);
}

void FewestPreemptions::add(std::size_t from, std::size_t thread, bool costs, std::vector<std::size_t>& now,
                            std::vector<std::size_t>& later) {
    const unsigned preemptions = states_[from].preemptions + (costs ? 1 : 0);
    if (preemptions > question_->limit) {
        return;
    }
    State next{states_[from].made, static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(from),
               preemptions};
    next.made[thread] += 1;
    run_on(next);
    EventCounts key = next.made;
    key.push_back(next.last);
    const auto [seen, is_new] = seen_.try_emplace(std::move(key), preemptions);
    if (!is_new) {
        if (seen->second <= preemptions) {
            return;
        }
        seen->second = preemptions;
    }
    states_.push_back(std::move(next));
    (costs ? later : now).push_back(states_.size() - 1);
}

void FewestPreemptions::run_on(State& state) {
    // As long as there is no choice.
    while (state.last != no_thread && is_ready(state.made, state.last)) {
        const std::uint32_t done = state.made[state.last];
        const bool is_event = done < count_of(question_->events, state.last);
        const bool is_private = is_event && is_shared_[of_thread_[state.last][done]] == 0;
        if ((state.preemptions < question_->limit && !is_private) || !leaving_costs(state)) {
            return;
        }
        state.made[state.last] += 1;
    }
}

void FewestPreemptions::expand(std::size_t number, std::vector<std::size_t>& now,
                               std::vector<std::size_t>& later) {
    const std::uint32_t last = states_[number].last;
    const bool goes_on = last != no_thread && is_ready(states_[number].made, last);
    const bool costs = leaving_costs(states_[number]);
    for (std::size_t thread = of_thread_.size(); thread-- > 0;) {
        if (thread != last && is_ready(states_[number].made, thread)) {
            add(number, thread, costs, now, later);
        }
    }
    if (goes_on) {
        add(number, last, false, now, later);  // the next to be looked at
    }
}

void FewestPreemptions::note_order(std::size_t state) {
    cheapest_.clear();
    while (states_[state].last != no_thread) {
        const State& made = states_[state];
        for (std::uint32_t nth = made.made[made.last]; nth-- > states_[made.before].made[made.last];) {
            if (nth < count_of(question_->events, made.last)) {
                cheapest_.push_back(of_thread_[made.last][nth]);
            }
        }
        state = made.before;
    }
    std::reverse(cheapest_.begin(), cheapest_.end());
}

FewestPreemptions::Answer FewestPreemptions::of(const Question& question) {
    question_ = &question;
    states_.clear();
    seen_.clear();
    std::size_t wanted = question.expected.size();
    for (const std::uint32_t count : question.events) {
        wanted += count;
    }
    states_.push_back({EventCounts(of_thread_.size(), 0)});
    std::vector<std::size_t> now{0};
    std::vector<std::size_t> later;
    for (;;) {
        if (now.empty()) {
            if (later.empty()) {
                return {};
            }
            now = std::exchange(later, {});
        }
        const std::size_t number = now.back();
        now.pop_back();
        const State& state = states_[number];
        std::size_t made = 0;
        for (const std::uint32_t count : state.made) {
            made += count;
        }
        if (made == wanted) {
            note_order(number);
            return {state.preemptions, false};
        }
        EventCounts key = state.made;
        if (state.last != no_thread) {
            key.push_back(state.last);
            if (seen_.at(key) < state.preemptions) {
                continue;  // there was a cheaper way here
            }
        }
        if (states_.size() > question.effort) {
            return {0, true};
        }
        expand(number, now, later);
    }
}

FewestPreemptions::Answer FewestPreemptions::of_all(Question question) {
    const auto is_conditional = [](const Expected& expected) {
        return expected.leaving == Expected::Leaving::UnlessHeld;
    };
    const Answer answer = of(question);
    if (answer.gave_up || answer.preemptions != 0U ||
        std::none_of(question.expected.begin(), question.expected.end(), is_conditional)) {
        return answer;
    }
    // With no preemption at all nobody is left with something held.
    const unsigned limit = question.limit;
    question.nothing_held = true;
    question.limit = 0;
    if (of(question).preemptions) {
        return answer;
    }
    return limit == 0 ? Answer{} : Answer{1, false};
}

}  // namespace coopcheck
