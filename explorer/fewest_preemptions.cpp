#include "explorer/fewest_preemptions.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
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

constexpr std::uint32_t none = ~std::uint32_t{0};

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
    removed_.assign(events.size(), 1);
    left_.assign(of_thread_.size(), 0);
}

const FewestPreemptions::Expected* FewestPreemptions::expected_of(std::size_t thread) const {
    const auto& all = question_->expected;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Expected& expected) { return expected.thread.index() == thread; });
    return found == all.end() ? nullptr : &*found;
}

bool FewestPreemptions::is_ready(Row made, std::size_t thread) const {
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
        if (other != thread && (*after)[other] > (other < made.size() ? made[other] : 0)) {
            return false;
        }
    }
    return true;
}

void FewestPreemptions::remove_but(Row made) {
    for (std::size_t thread = 0; thread < made.size(); ++thread) {
        for (; left_[thread] < made[thread]; ++left_[thread]) {
            removed_[of_thread_[thread][left_[thread]]] = 0;
        }
        for (; left_[thread] > made[thread]; --left_[thread]) {
            removed_[of_thread_[thread][left_[thread] - 1]] = 1;
        }
    }
}

bool FewestPreemptions::is_enabled(Row made, std::size_t thread) {
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
    remove_but(made);
    std::size_t at = events_->size();
    std::size_t rest = 0;
    for (std::size_t other = 0; other < made.size(); ++other) {
        if (made[other] < of_thread_[other].size()) {
            at = std::min(at, of_thread_[other][made[other]]);
        }
        if (made[other] > 0) {
            rest = std::max(rest, of_thread_[other][made[other] - 1] + 1);
        }
    }
    const bool enabled = rewind_.without(removed_, at, late, rest).enabled(late.thread, late.operation);
    rewind_.back(late);
    return enabled;
}

bool FewestPreemptions::is_generous(ThreadId thread) const {
    return std::find(generous_.begin(), generous_.end(), thread) != generous_.end();
}

bool FewestPreemptions::leaving_costs(Row made, std::uint32_t last) {
    if (last == no_thread) {
        return false;
    }
    const std::size_t thread = last;
    const std::uint32_t done = made[thread];
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
        return is_ready(made, thread) || is_enabled(made, thread);
    }
    if (const Expected* expected = expected_of(thread)) {
        switch (expected->leaving) {
            case Expected::Leaving::Costs:
                return true;
            case Expected::Leaving::UnlessHeld:
                return question_->nothing_held;
            case Expected::Leaving::Ask:
                return is_enabled(made, thread);
            case Expected::Leaving::Free:
                return false;
        }
    }
    return question_->to_the_end && is_enabled(made, thread);
}

std::size_t FewestPreemptions::hash(Row made, std::uint32_t last) {
    std::uint64_t hash = last;
    for (const std::uint32_t count : made) {
        hash = (hash ^ count) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29U;
    }
    return hash;
}

std::pair<std::uint32_t, std::size_t> FewestPreemptions::find_next(std::uint32_t last) const {
    const Row wanted = row(states_.size());
    std::size_t at = hash(wanted, last) & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
        const std::uint32_t state = table_[at] - 1;
        if (states_[state].last == last && std::ranges::equal(row(state), wanted)) {
            return {state, at};
        }
    }
    return {none, at};
}

void FewestPreemptions::enlarge_table() {
    table_.assign(table_.size() * 2, 0);
    for (std::uint32_t state = 0; state < states_.size(); ++state) {
        std::size_t at = hash(row(state), states_[state].last) & (table_.size() - 1);
        while (table_[at] != 0) {
            at = (at + 1) & (table_.size() - 1);
        }
        table_[at] = state + 1;
    }
}

void FewestPreemptions::add(std::uint32_t from, std::size_t thread, bool costs) {
    const unsigned preemptions = states_[from].preemptions + (costs ? 1 : 0);
    if (preemptions > question_->limit) {
        return;
    }
    const std::size_t threads = of_thread_.size();
    const auto last = static_cast<std::uint32_t>(thread);
    made_.resize((states_.size() + 1) * threads);
    std::copy_n(made_.begin() + static_cast<std::ptrdiff_t>(from * threads), threads,
                made_.end() - static_cast<std::ptrdiff_t>(threads));
    const std::span<std::uint32_t> next = std::span(made_).last(threads);
    next[thread] += 1;
    run_on(next, thread, preemptions);
    auto [state, at] = find_next(last);
    if (state != none) {
        if (states_[state].preemptions <= preemptions) {
            return;
        }
        states_[state].before = from;
        states_[state].preemptions = preemptions;
    } else {
        state = static_cast<std::uint32_t>(states_.size());
        states_.push_back({last, from, preemptions});
        table_[at] = state + 1;
        if (2 * states_.size() > table_.size()) {
            enlarge_table();
        }
    }
    (costs ? later_ : now_).push_back({state, preemptions});
}

void FewestPreemptions::run_on(std::span<std::uint32_t> made, std::size_t thread, unsigned preemptions) {
    const auto last = static_cast<std::uint32_t>(thread);
    while (is_ready(made, thread)) {
        const std::uint32_t done = made[thread];
        const bool is_event = done < count_of(question_->events, thread);
        const bool is_private = is_event && is_shared_[of_thread_[thread][done]] == 0;
        if ((preemptions < question_->limit && !is_private) || !leaving_costs(made, last)) {
            return;
        }
        made[thread] += 1;
    }
}

void FewestPreemptions::expand(std::uint32_t state) {
    const std::uint32_t last = states_[state].last;
    const bool goes_on = last != no_thread && is_ready(row(state), last);
    const bool costs = leaving_costs(row(state), last);
    for (std::size_t thread = of_thread_.size(); thread-- > 0;) {
        if (thread != last && is_ready(row(state), thread)) {
            add(state, thread, costs);
        }
    }
    if (goes_on) {
        add(state, last, false);  // the next to be looked at
    }
}

void FewestPreemptions::note_order(std::uint32_t state) {
    cheapest_.clear();
    for (; states_[state].last != no_thread; state = states_[state].before) {
        const std::size_t thread = states_[state].last;
        const std::uint32_t before = row(states_[state].before)[thread];
        for (std::uint32_t nth = row(state)[thread]; nth-- > before;) {
            if (nth < count_of(question_->events, thread)) {
                cheapest_.push_back(of_thread_[thread][nth]);
            }
        }
    }
    std::reverse(cheapest_.begin(), cheapest_.end());
}

FewestPreemptions::Answer FewestPreemptions::of(const Question& question) {
    question_ = &question;
    std::size_t wanted = question.expected.size();
    for (const std::uint32_t count : question.events) {
        wanted += count;
    }
    constexpr std::size_t first_table = 64;
    table_.assign(first_table, 0);
    states_.assign(1, {});
    made_.assign(of_thread_.size(), 0);
    now_.assign(1, {0, 0});
    later_.clear();
    for (;;) {
        if (now_.empty()) {
            if (later_.empty()) {
                return {};
            }
            std::swap(now_, later_);
        }
        const Due due = now_.back();
        now_.pop_back();
        if (states_[due.state].preemptions < due.preemptions) {
            continue;  // there was a cheaper way here
        }
        const Row made = row(due.state);
        if (std::accumulate(made.begin(), made.end(), std::size_t{0}) == wanted) {
            note_order(due.state);
            return {due.preemptions, false};
        }
        if (states_.size() > question.effort) {
            return {0, true};
        }
        expand(due.state);
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
