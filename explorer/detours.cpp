#include "explorer/detours.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

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
