#include "explorer/detours.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/switch.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

/// Asked at every place: no more than a few steps of the program are worth.
constexpr std::size_t effort_to_settle = 60;

bool releases(const Event& event) {
    const auto entries = event.label.entries();
    return std::any_of(entries.begin(), entries.end(), [&](const Label::Entry& entry) {
        return entry.location == Location::object(event.operation.object) && entry.effect == Effect::Write;
    });
}

/// What an event lets go on cannot come before it: the order of the two is no choice.
bool has_to_wait(const Event& early, const Operation& late, bool cancels) {
    const OpKind first = early.operation.kind;
    switch (late.kind) {
        case OpKind::MutexLock:
            return !late.timed && releases(early) &&
                   ((first == OpKind::MutexUnlock && early.operation.object == late.object) ||
                    (first == OpKind::CondWait && early.operation.mutex == late.object));
        case OpKind::SpinLock:
            return first == OpKind::SpinUnlock && early.operation.object == late.object;
        case OpKind::OnceEnter:
            return (first == OpKind::OnceDone || first == OpKind::OnceAbort) &&
                   early.operation.object == late.object;
        case OpKind::ThreadJoin:
            return !late.timed && first == OpKind::ThreadExit && early.thread == late.thread && !cancels;
        default:
            return false;
    }
}

/// Somebody else is alive.
bool end_lives_besides(const SyncModel& end, ThreadId thread) {
    for (std::uint32_t index = 0; end.knows(ThreadId{index}); ++index) {
        if (ThreadId{index} != thread && end.live(ThreadId{index})) {
            return true;
        }
    }
    return false;
}

bool is_within_counts(const EventCounts& one, const EventCounts& other) {
    for (std::size_t thread = 0; thread < one.size(); ++thread) {
        if (one[thread] > count_of(other, thread)) {
            return false;
        }
    }
    return true;
}

/// One more event of the thread than there are.
EventCounts next_of(ThreadId thread, const EventCounts& counts) {
    EventCounts next(thread.index() + 1, 0);
    next.back() = count_of(counts, thread.index()) + 1;
    return next;
}

void expect(ThreadId thread, const EventCounts& after, FewestPreemptions::Expected::Leaving costs,
            FewestPreemptions::Question& question) {
    for (FewestPreemptions::Expected& expected : question.expected) {
        if (expected.thread == thread) {
            join(expected.after, after);
            return;
        }
    }
    question.expected.push_back({thread, after, costs});
}

/// A misuse if another thread has done the like before: joining a thread, waiting on a condition with a
/// mutex.
std::optional<std::pair<Location, std::uint64_t>> exclusive_use(const Operation& operation) {
    switch (operation.kind) {
        case OpKind::ThreadJoin:
        case OpKind::ThreadTryJoin:
        case OpKind::ThreadDetach:
            return std::pair{Location::thread(operation.thread), std::uint64_t{0}};
        case OpKind::CondWait:
            return std::pair{Location::object(operation.object), std::uint64_t{operation.mutex.index()} + 1};
        default:
            return std::nullopt;
    }
}

}  // namespace

std::vector<std::uint32_t> Detour::key() const {
    std::vector<std::uint32_t> key;
    for (const Move& on_way : sequence) {
        key.insert(key.end(), {on_way.thread.index(), static_cast<std::uint32_t>(on_way.variant.kind),
                               on_way.variant.thread.index(), on_way.variant.value});
    }
    key.push_back(static_cast<std::uint32_t>(sequence.size()));
    key.push_back(overtaker.index());
    key.insert(key.end(), common.begin(), common.end());
    key.push_back(static_cast<std::uint32_t>(common.size()));
    key.insert(key.end(), before_overtaker.begin(), before_overtaker.end());
    return key;
}

void Detours::look_at(const std::vector<ClassNodePtr>& path, const std::vector<PendingOperation>& pending,
                      const SyncModel& end) {
    path_ = &path;
    events_.clear();
    order_.clear();
    late_.clear();
    of_thread_.clear();
    created_.clear();
    const auto previous_of = [&](ThreadId thread, std::size_t number) {
        const std::size_t previous = order_.previous_of_thread(number);
        const auto by = created_.find(thread);
        return previous != EventOrder::none || by == created_.end() ? previous : by->second;
    };
    for (const ClassNodePtr& node : path) {
        if (!node->event) {
            continue;
        }
        const Event& event = *node->event;
        const std::size_t number = order_.add(event.thread, event.label);
        events_.push_back(&event);
        if (of_thread_.size() <= event.thread.index()) {
            of_thread_.resize(event.thread.index() + 1);
        }
        of_thread_[event.thread.index()].push_back(number);
        Label reach = event.reach;
        // Time runs out when nothing else can be done; but what waited for it could have gone on before.
        for (const Label::Entry& entry : event.waiting ? event.waiting->entries() : event.label.entries()) {
            reach.add(entry.location, entry.effect);
        }
        late_.push_back(
            {number, event.thread, event.operation, std::move(reach), previous_of(event.thread, number)});
        if (event.operation.kind == OpKind::ThreadCreate) {
            created_.emplace(event.operation.thread, number);
        }
    }
    for (const PendingOperation& operation : pending) {
        if (fault(Fault::ForgetPending)) {
            break;
        }
        Label reach = reach_of(end, operation.thread, operation.operation, labels_);
        const std::size_t number = order_.add_pending(operation.thread, reach);
        late_.push_back({number, operation.thread, operation.operation, std::move(reach),
                         previous_of(operation.thread, number)});
    }
    note_touches();
    note_users(end);
}

void Detours::note_users(const SyncModel& end) {
    for (const Late& late : late_) {
        for (const Label::Entry& entry : late.reach.entries()) {
            // Who creates a thread comes before all it does, and who waits for its end after that.
            const bool comes_apart = late.operation.kind == OpKind::ThreadCreate ||
                                     (late.operation.kind == OpKind::ThreadJoin && !late.operation.timed);
            if (comes_apart && entry.location == Location::thread(late.operation.thread)) {
                continue;
            }
            if (entry.location.kind() != Location::Kind::World) {
                assumptions_.see_touch(late.thread, entry.location);
                continue;
            }
            const std::size_t at = std::min(late.number, events_.size() - 1);
            const bool is_pending = late.number >= events_.size();
            const bool others_live =
                is_pending ? end_lives_besides(end, late.thread) : !others_at(at, {}).empty();
            if (others_live) {
                assumptions_.see_early_end();
            }
        }
    }
}

bool Detours::is_private(std::size_t at) const {
    const auto entries = late_[at].reach.entries();
    return std::all_of(entries.begin(), entries.end(),
                       [&](const Label::Entry& entry) {
                           return entry.location.kind() != Location::Kind::World &&
                                  assumptions_.only_of(events_[at]->thread, entry.location);
                       }) &&
           assumptions_.ends_come_last();
}

void Detours::note_touches() {
    somebody_cancels_ = std::any_of(late_.begin(), late_.end(), [](const Late& late) {
        return late.operation.kind == OpKind::ThreadCancel;
    });
    // Where several use exclusively what only one may, whoever comes second ends the process.
    std::map<Location, std::set<std::pair<ThreadId, std::uint64_t>>> users;
    for (const Late& late : late_) {
        if (const auto use = exclusive_use(late.operation)) {
            users[use->first].emplace(use->second == 0 ? late.thread : ThreadId{0}, use->second);
        }
    }
    for (Late& late : late_) {
        const auto use = exclusive_use(late.operation);
        if (use && users[use->first].size() > 1) {
            late.reach.add_world();
        }
    }
}

std::uint32_t Detours::position(ThreadId thread, std::size_t at) const {
    if (thread.index() >= of_thread_.size()) {
        return 0;
    }
    const auto& all = of_thread_[thread.index()];
    return static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), at) - all.begin());
}

const Event* Detours::last_event(ThreadId thread, std::size_t at) const {
    const std::uint32_t before = position(thread, at);
    return before == 0 ? nullptr : events_[of_thread_[thread.index()][before - 1]];
}

void Detours::find(FewestPreemptions& fewest, unsigned bound,
                   const std::function<void(const Detour&)>& take) {
    take_ = &take;
    overtakers_.assign(events_.size(), {});
    for (std::size_t late = 0; late < late_.size(); ++late) {
        look_back(late);
    }
    common_.assign(1, {});
    is_settled_.clear();
    preemptions_.assign(1, 0);
    for (const Event* event : events_) {
        preemptions_.push_back(preemptions_.back() + (event->preempting ? 1 : 0));
    }
    for (std::size_t at = 0; at < events_.size(); ++at) {
        BoundedPlace& place = *(*path_)[at]->bounded;
        const bool settled = place.is_forced || is_settled(at, fewest, bound);
        for (const Move& move : std::exchange(place.wishes, {})) {
            if (!is_covered(at, {move})) {
                take(to(at, move));
            }
        }
        for (const std::size_t late : overtakers_[at]) {
            add_detours(at, late_[late]);
        }
        EventCounts common = common_.back();
        is_settled_.push_back(
            static_cast<char>(settled || is_settled(at, fewest, bound) || fault(Fault::EveryStepCounts)));
        if (is_settled_.back() != 0) {
            join(common, order_.times(at));
        }
        common_.push_back(std::move(common));
    }
}

bool Detours::is_settled(std::size_t at, FewestPreemptions& fewest, unsigned bound) {
    const ClassNode& node = *(*path_)[at];
    const ThreadId thread = events_[at]->thread;
    if (node.bounded->settled_within == bound) {
        return true;
    }
    const bool all_covered = std::all_of(
        node.bounded->offers.begin(), node.bounded->offers.end(),
        [&](const Move& move) { return move.is(thread, events_[at]->variant) || is_covered(at, {move}); });
    if (all_covered || is_private(at)) {
        return true;
    }
    if (node.bounded->not_settled_within == bound) {
        return false;
    }
    using Leaving = FewestPreemptions::Expected::Leaving;
    const EventCounts& common = common_[at];
    const std::uint32_t made = position(thread, at);
    const auto costs_at = [&](std::size_t place) {
        const Leaving costs = fewest.is_generous(thread) ? Leaving::Free : leaving(place);
        return costs == Leaving::Costs || (costs == Leaving::UnlessHeld && bound == 0);
    };
    if (made == 0 || count_of(common, thread.index()) != made || preemptions_[at] + 1 <= bound ||
        !costs_at(at)) {
        return false;
    }
    bool settled = false;
    const Event& last = *events_[at - 1];
    if (last.thread == thread && made > 1 && last.operation.kind != OpKind::ThreadCreate &&
        (*path_)[at - 1]->bounded->settled_within == bound && !(*path_)[at - 1]->bounded->is_forced &&
        costs_at(at - 1) &&
        is_within_counts(before_overtakers(at - 1, common), before_overtakers(at, common))) {
        // Whoever overtakes it here for less could have done so one step before: the step was the last one,
        // nothing depends on it, and leaving the thread before it costs the same.
        settled = true;
    } else {
        FewestPreemptions::Question question{.events = common, .limit = bound, .effort = effort_to_settle};
        expect_overtaken(at, question);
        settled = !fewest_without(at, question, fewest);
    }
    (settled ? node.bounded->settled_within : node.bounded->not_settled_within) = bound;
    return settled;
}

EventCounts Detours::before_overtakers(std::size_t at, const EventCounts& common) const {
    // It depends on the step; so it does on whoever wrote all that the step touches, and it comes after that.
    EventCounts least;
    bool is_first = true;
    for (const Label::Entry& touched : late_[at].reach.entries()) {
        EventCounts writers;
        for (std::size_t number = at; number-- > 0 && writers.empty();) {
            const Event& event = *events_[number];
            const auto entries = event.label.entries();
            const bool writes = std::any_of(entries.begin(), entries.end(), [&](const Label::Entry& entry) {
                return entry.location == touched.location && entry.effect == Effect::Write;
            });
            if (writes && count_of(common, event.thread.index()) > position(event.thread, number)) {
                writers = order_.times(number);
            }
        }
        if (std::exchange(is_first, false)) {
            least = std::move(writers);
            continue;
        }
        for (std::size_t thread = 0; thread < least.size(); ++thread) {
            least[thread] = std::min(least[thread], count_of(writers, thread));
        }
    }
    return least;
}

bool Detours::waits_for_end(ThreadId thread, std::size_t at) const {
    const std::uint32_t made = position(thread, at);
    const auto next = std::find_if(late_.begin(), late_.end(), [&](const Late& late) {
        return late.thread == thread && late.number >= at;
    });
    return next != late_.end() && made > 0 && next->operation.kind == OpKind::ThreadJoin &&
           !next->operation.timed && next->operation.thread == events_[at]->thread &&
           assumptions_.only_of(thread, Location::thread(thread));
}

std::vector<ThreadId> Detours::others_at(std::size_t at, const EventCounts& common) const {
    std::vector<ThreadId> others;
    const auto add = [&](ThreadId thread) {
        const Event* last = last_event(thread, at);
        const bool has_ended = last != nullptr && last->operation.kind == OpKind::ThreadExit;
        if (thread != events_[at]->thread && !has_ended) {
            others.push_back(thread);
        }
    };
    add(main_thread);
    for (const auto& [thread, by] : created_) {
        const ThreadId parent = events_[by]->thread;
        if (by < at || count_of(common, parent.index()) > position(parent, by)) {
            add(thread);
        }
    }
    return others;
}

std::optional<unsigned> Detours::fewest_without(std::size_t at, const FewestPreemptions::Question& with,
                                                FewestPreemptions& fewest) {
    using Expected = FewestPreemptions::Expected;
    // Somebody makes a step that has to come before the one that was made: the thread is left before it.
    const ThreadId thread = events_[at]->thread;
    const Expected::Leaving costs = leaving(at);
    const EventCounts overtakers_after = before_overtakers(at, with.events);
    std::optional<unsigned> least;
    for (const ThreadId other : others_at(at, with.events)) {
        if (count_of(with.events, other.index()) == position(other, at) && waits_for_end(other, at)) {
            continue;
        }
        FewestPreemptions::Question question = with;
        if (least) {
            if (*least == 0) {
                break;
            }
            question.limit = *least - 1;
        }
        const EventCounts after = next_of(other, question.events);
        const bool is_expected = std::any_of(question.expected.begin(), question.expected.end(),
                                             [&](const Expected& next) { return next.thread == other; });
        if (!is_expected) {
            EventCounts born;
            const auto by = created_.find(other);
            if (by != created_.end()) {
                const ThreadId parent = events_[by->second]->thread;
                const bool is_common =
                    count_of(question.events, parent.index()) > position(parent, by->second);
                born = is_common ? order_.times(by->second) : EventCounts{};
            }
            join(born, overtakers_after);
            question.expected.push_back({other, born, Expected::Leaving::Free});
        }
        expect(thread, after, costs, question);
        if (const auto answer = fewest.of_all(std::move(question)).preemptions) {
            least = answer;
        }
    }
    return least;
}

unsigned Detours::most_of(const Detour& detour) const {
    // As the path was, then the sequence.
    unsigned most = preemptions_[detour.at] + 1;
    for (std::size_t number = 1; number < detour.sequence.size(); ++number) {
        most += detour.sequence[number].thread != detour.sequence[number - 1].thread ? 1 : 0;
    }
    return most;
}

unsigned Detours::fewest_of(const Detour& detour, FewestPreemptions& fewest, unsigned bound) {
    if (most_of(detour) <= bound) {
        return bound;
    }
    const BoundedPlace& place = *(*path_)[detour.at]->bounded;
    const bool is_variant = detour.move && place.first && detour.move->thread == place.first->thread;
    if (place.settled_within == bound && !is_variant) {
        return bound + 1;
    }
    if (is_within(detour, fewest, bound)) {
        return bound;
    }
    // How many more, if that is soon said.
    FewestPreemptions::Question question = question_of(detour, detour.common);
    constexpr unsigned ahead = 3;
    question.limit = bound + ahead;
    question.effort = events_.size();
    const FewestPreemptions::Answer answer = fewest.of_all(question);
    return std::max(answer.gave_up ? 0 : answer.preemptions.value_or(question.limit + 1), bound + 1);
}

bool Detours::is_within(const Detour& detour, FewestPreemptions& fewest, unsigned bound) {
    // Not to run a schedule is worth about as much as to run it.
    const std::size_t effort = 100 + events_.size();
    FewestPreemptions::Question question = question_of(detour, detour.common);
    question.limit = bound;
    question.effort = effort;
    const FewestPreemptions::Answer answer = fewest.of_all(question);
    if (!answer.preemptions || answer.gave_up) {
        return answer.gave_up;
    }
    // Which of the steps that the thread has made before are common to all these schedules is not known. Of
    // one of them, or of what was chosen in the end, it is the first that is not; and so it was left there.
    const ThreadId thread = events_[detour.at]->thread;
    const std::uint32_t made = position(thread, detour.at);
    EventCounts common = detour.common;
    constexpr std::uint32_t most_steps = 8;
    if (count_of(common, thread.index()) == made || made - count_of(common, thread.index()) > most_steps) {
        return true;
    }
    for (std::uint32_t nth = count_of(common, thread.index()); nth < made; ++nth) {
        const std::size_t step = of_thread_[thread.index()][nth];
        if (is_settled_[step] == 0) {
            if (nth == 0 || leaving(step) == FewestPreemptions::Expected::Leaving::Free) {
                return true;
            }
            FewestPreemptions::Question without{.events = common, .limit = bound, .effort = effort};
            if (detour.move) {
                without.expected.push_back(*detour.move);
            }
            if (fewest_without(step, without, fewest)) {
                return true;
            }
        }
        join(common, order_.times(step));
    }
    question = question_of(detour, std::move(common));
    question.limit = bound;
    question.effort = effort;
    return fewest.of_all(question).preemptions.has_value();
}

void Detours::look_back(std::size_t index) {
    const Late& late = late_[index];
    const EventCounts* known = late.previous == EventOrder::none ? nullptr : &order_.times(late.previous);
    for (std::size_t thread = 0; thread < of_thread_.size(); ++thread) {
        if (thread == late.thread.index()) {
            continue;
        }
        const auto& all = of_thread_[thread];
        for (std::size_t nth = known == nullptr ? 0 : count_of(*known, thread); nth < all.size(); ++nth) {
            const std::size_t at = all[nth];
            if (at >= late.number) {
                break;
            }
            const Event& early = *events_[at];
            if (!(*path_)[at]->bounded->is_forced && !has_to_wait(early, late.operation, somebody_cancels_) &&
                late_[at].reach.depends_on(late.reach)) {
                overtakers_[at].push_back(index);
            }
        }
    }
}

void Detours::add_detours(std::size_t at, const Late& late) {
    if (late.previous != EventOrder::none && late.previous > at) {
        if (fault(Fault::OvertakeOnlyEnabled) && late.number >= events_.size()) {
            return;
        }
        add_way_to(late.previous, at, late);
        return;
    }
    // Its thread is at it already.
    for (const Move& move : (*path_)[at]->bounded->offers) {
        if (move.thread == late.thread && !is_covered(at, {move})) {
            Detour detour = to(at, move);
            detour.overtaker = move.thread;
            (*take_)(detour);
        }
    }
    for (std::size_t number = at + 1; number < events_.size() && !fault(Fault::ForgetWayToOthers); ++number) {
        const Event& event = *events_[number];
        if (event.thread != late.thread && event.thread != events_[at]->thread &&
            !order_.before(at, number) &&
            !(late.number < events_.size() && order_.before(late.number, number)) &&
            late_[number].reach.depends_on(late.reach)) {
            add_way_to(number, at, late);
        }
    }
}

void Detours::add_way_to(std::size_t event, std::size_t at, const Late& late) {
    std::vector<Move> sequence;
    for (std::size_t number = at + 1; number <= event; ++number) {
        if (number == event || order_.before(number, event)) {
            const Event& on_way = *events_[number];
            sequence.push_back({on_way.thread, on_way.variant, on_way.label});
        }
    }
    if (is_covered(at, sequence)) {
        return;
    }
    Detour detour{at, std::move(sequence), common_[at], {}, late.thread, order_.times(event)};
    join(detour.common, order_.times(event));
    (*take_)(detour);
}

EventCounts Detours::past_of(const Move& move, std::size_t at) const {
    EventCounts past;
    for (std::size_t number = 0; number < at; ++number) {
        if (events_[number]->thread == move.thread || events_[number]->label.depends_on(move.label)) {
            join(past, order_.times(number));
        }
    }
    return past;
}

Detour Detours::to(std::size_t at, const Move& move) const {
    EventCounts past = past_of(move, at);
    Detour detour{at, {move}, common_[at], {}, {}, {}};
    join(detour.common, past);
    detour.move = {move.thread, std::move(past), FewestPreemptions::Expected::Leaving::Ask};
    return detour;
}

FewestPreemptions::Expected::Leaving Detours::leaving(std::size_t at) const {
    using Leaving = FewestPreemptions::Expected::Leaving;
    const BoundedPlace& place = *(*path_)[at]->bounded;
    const Operation& next = place.first_operation;
    const Operation& last = last_event(place.first->thread, at)->operation;
    const auto follows = [&](OpKind kind) { return last.kind == kind && last.object == next.object; };
    const auto unless_held = [&] {
        return assumptions_.held_without_waiting(next.object) ? Leaving::UnlessHeld : Leaving::Free;
    };
    if (offers_to_yield(last.kind)) {
        return Leaving::Free;
    }
    if (fault(Fault::LeavingAlwaysCosts)) {
        return Leaving::Costs;
    }
    switch (next.kind) {
        case OpKind::FutexResume:
        case OpKind::SystemCall:
            return Leaving::Free;
        case OpKind::MutexLock:
            return follows(OpKind::MutexUnlock) ? Leaving::Costs : unless_held();
        case OpKind::SpinLock:
            return follows(OpKind::SpinUnlock) ? Leaving::Costs : unless_held();
        case OpKind::RwReadLock:
        case OpKind::RwWriteLock:
            return unless_held();
        case OpKind::SemWait:
            return follows(OpKind::SemPost) ? Leaving::Costs : Leaving::Free;
        default:
            return traits(next.kind).mover == Mover::Acquire ? Leaving::Free : Leaving::Costs;
    }
}

void Detours::expect_first(std::size_t at, const EventCounts& after,
                           FewestPreemptions::Question& question) const {
    const ThreadId thread = (*path_)[at]->bounded->first->thread;
    const std::uint32_t made = position(thread, at);
    if (made == 0 || count_of(question.events, thread.index()) != made) {
        return;
    }
    const FewestPreemptions::Expected::Leaving costs = leaving(at);
    if (costs == FewestPreemptions::Expected::Leaving::Free) {
        return;
    }
    expect(thread, after, costs, question);
}

FewestPreemptions::Question Detours::question_of(const Detour& detour, EventCounts common) const {
    FewestPreemptions::Question question{.events = std::move(common)};
    if (detour.move) {
        question.expected.push_back(*detour.move);
    }
    // What was chosen there comes after the operation that is to overtake it; and so it is with the places
    // before from which something else was done than what was chosen.
    if (detour.overtaker.valid()) {
        if (!detour.move) {
            EventCounts after = detour.before_overtaker;
            join(after, before_overtakers(detour.at, question.events));
            question.expected.push_back(
                {detour.overtaker, std::move(after), FewestPreemptions::Expected::Leaving::Free});
        }
        expect_first(detour.at, next_of(detour.overtaker, question.events), question);
    }
    expect_overtaken(detour.at, question);
    return question;
}

void Detours::expect_overtaken(std::size_t before, FewestPreemptions::Question& question) const {
    for (std::size_t at = 0; at < before; ++at) {
        const BoundedPlace& place = *(*path_)[at]->bounded;
        if (!place.is_forced) {
            continue;
        }
        for (std::size_t number = at; number < before; ++number) {
            const Event& event = *events_[number];
            const bool is_common =
                count_of(question.events, event.thread.index()) > position(event.thread, number);
            if (is_common && event.thread != place.first->thread &&
                event.label.depends_on(place.first->label)) {
                expect_first(at, order_.times(number), question);
                break;
            }
        }
    }
}

bool Detours::is_covered(std::size_t at, const std::vector<Move>& sequence) const {
    const ClassNode& node = *(*path_)[at];
    const auto covers = [&](const Move& move) {
        // A thread that has not begun can begin at any time, for free, and nobody minds: whatever is left out
        // without it is run with it.
        return is_initial(move, sequence) ||
               (position(move.thread, at) == 0 && can_come_first(move, sequence) &&
                assumptions_.only_of(move.thread, Location::thread(move.thread)) &&
                assumptions_.ends_come_last());
    };
    const auto& branches = node.todo.branches();
    return std::any_of(node.sleep.begin(), node.sleep.end(), covers) ||
           std::any_of(branches.begin(), branches.end(),
                       [&](const WakeupTree::Branch& branch) { return covers(branch.move); });
}

}  // namespace coopcheck
