// What the schedules that a detour is for need at least.
#include <algorithm>
#include <utility>

#include "core/switch.hpp"
#include "explorer/detours.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

/// Asked at every place: no more than a few steps of the program are worth.
constexpr std::size_t effort_to_settle = 60;
/// If it is not soon said how many preemptions more are needed, it is asked again when there is one more.
constexpr std::size_t effort_to_put_off = 30;

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

}  // namespace

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
    question.effort = effort_to_put_off;
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

}  // namespace coopcheck
