#include "explorer/rewind.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace coopcheck {

namespace {

bool touches(const Label& label, Location location, Effect effect) {
    return std::any_of(label.entries().begin(), label.entries().end(), [&](const Label::Entry& entry) {
        return entry.location == location && entry.effect == effect;
    });
}

template <typename Id, typename State>
const State* find(const std::vector<std::pair<Id, State>>& states, Id wanted) {
    const auto found =
        std::find_if(states.begin(), states.end(), [&](const auto& state) { return state.first == wanted; });
    return found == states.end() ? nullptr : &found->second;
}

void change_readers(ObjectState& lock, ThreadId thread, int by) {
    auto reader = std::lower_bound(lock.readers.begin(), lock.readers.end(), thread,
                                   [](const auto& entry, ThreadId wanted) { return entry.first < wanted; });
    const bool reads = reader != lock.readers.end() && reader->first == thread;
    if (by > 0 && !reads) {
        lock.readers.insert(reader, {thread, 1});
    } else if (by > 0) {
        reader->second += 1;
    } else if (reads && --reader->second == 0) {
        lock.readers.erase(reader);
    }
}

/// A change that commutes with others of its kind, made once more.
void add_again(ObjectState& object, ObjectId id, const Event& event, const ObjectState& before) {
    if (event.operation.object != id) {
        return;
    }
    switch (event.operation.kind) {
        case OpKind::SemPost:
            object.count += 1;
            break;
        case OpKind::RwTryReadLock:
            if (before.owner.valid() ||
                (before.rw_policy == RwPolicy::PreferWriter && !before.waiters.empty())) {
                break;  // failed
            }
            [[fallthrough]];
        case OpKind::RwReadLock:
            if (event.variant.kind == Variant::Kind::Normal && before.owner != event.thread) {
                change_readers(object, event.thread, 1);
            }
            break;
        case OpKind::RwUnlock:
            change_readers(object, event.thread, -1);
            break;
        case OpKind::CondResume:
        case OpKind::FutexResume:
            // Woken by nobody: it has left those who wait.
            std::erase(object.waiters, event.thread);
            if (object.waiters.empty()) {
                object.mutex = ObjectId{};
            }
            break;
        default:
            break;
    }
}

}  // namespace

template <typename State, typename Id>
std::span<const Rewind::Before<State>> Rewind::from(const std::vector<Befores<State>>& all, Id id,
                                                    std::size_t at) {
    if (id.index() >= all.size()) {
        return {};
    }
    const Befores<State>& befores = all[id.index()];
    const auto first = std::partition_point(befores.begin(), befores.end(),
                                            [&](const Before<State>& before) { return before.number < at; });
    return {first, befores.end()};
}

void Rewind::look_at(const std::vector<const Event*>& events, const EventOrder& order, const SyncModel& end) {
    events_ = &events;
    order_ = &order;
    end_ = &end;
    scratch_ = end;
    const auto note = [](auto& all, const auto& states, std::size_t number) {
        for (const auto& [id, state] : states) {
            if (all.size() <= id.index()) {
                all.resize(id.index() + 1);
            }
            all[id.index()].push_back({number, &state});
        }
    };
    spurious_.clear();
    // What they hold is used again: paths are alike.
    for (Befores<ObjectState>& befores : of_objects_) {
        befores.clear();
    }
    for (Befores<ThreadState>& befores : of_threads_) {
        befores.clear();
    }
    for (std::size_t number = 0; number < events.size(); ++number) {
        note(of_objects_, events[number]->before.objects, number);
        note(of_threads_, events[number]->before.threads, number);
        if (events[number]->variant.kind == Variant::Kind::Spurious) {
            spurious_.push_back(number);
        }
    }
}

SyncModel& Rewind::without(const Removed& removed, std::size_t at, const OperationOnPath& late) {
    for (const ObjectId object : {late.operation.object, late.operation.mutex}) {
        if (object.valid() && end_->known(object)) {
            rewind_object(object, removed, at);
        }
    }
    if (late.operation.thread.valid() && end_->knows(late.operation.thread) &&
        late.operation.thread != late.thread) {
        rewind_thread(late.operation.thread, removed, at);
    }
    rewind_own_thread(removed, at, late);
    for (const std::size_t number : spurious_) {
        if (number >= at && removed[number] != 0) {
            scratch_.put_back_spurious((*events_)[number]->before.spurious_left);
            break;
        }
    }
    return scratch_;
}

void Rewind::rewind_object(ObjectId object, const Removed& removed, std::size_t at) {
    std::optional<ObjectState> state;
    for (const Before<ObjectState>& before : from(of_objects_, object, at)) {
        if (!state && removed[before.number] != 0) {
            state = *before.state;
        } else if (state && removed[before.number] == 0) {
            add_again(*state, object, *(*events_)[before.number], *before.state);
        }
    }
    if (state) {
        scratch_.put_back(object, std::move(*state));
    }
}

void Rewind::rewind_thread(ThreadId thread, const Removed& removed, std::size_t at) {
    for (const Before<ThreadState>& before : from(of_threads_, thread, at)) {
        const Event& event = *(*events_)[before.number];
        if (removed[before.number] != 0 && touches(event.label, Location::thread(thread), Effect::Write)) {
            scratch_.put_back(thread, *before.state);
            return;
        }
    }
}

void Rewind::rewind_own_thread(const Removed& removed, std::size_t at, const OperationOnPath& late) {
    ThreadState state =
        late.event != nullptr ? *find(late.event->before.threads, late.thread) : end_->thread(late.thread);
    const std::size_t previous = order_->previous_of_thread(late.number);
    const std::size_t end = std::min(late.number, events_->size());
    bool found_request = false;
    bool found_wake = false;
    for (const Before<ThreadState>& before : from(of_threads_, late.thread, at)) {
        const std::size_t number = before.number;
        if (number >= end) {
            break;
        }
        const Event& event = *(*events_)[number];
        if (removed[number] == 0 || event.thread == late.thread) {
            continue;
        }
        if (!found_request && touches(event.label, Location::thread(late.thread), Effect::Write)) {
            found_request = true;
            state.cancel_requested = before.state->cancel_requested;
        }
        const bool is_of_this_wait = previous == EventOrder::none || number > previous;
        if (!found_wake && is_of_this_wait &&
            touches(event.label, Location::wake(late.thread), Effect::Write)) {
            found_wake = true;
            state.wake = before.state->wake;
        }
    }
    scratch_.put_back(late.thread, std::move(state));
}

void Rewind::back(const OperationOnPath& late) {
    for (const ObjectId object : {late.operation.object, late.operation.mutex}) {
        if (object.valid() && end_->known(object)) {
            scratch_.put_back(object, end_->object(object));
        }
    }
    for (const ThreadId thread : {late.operation.thread, late.thread}) {
        if (thread.valid() && end_->knows(thread)) {
            scratch_.put_back(thread, end_->thread(thread));
        }
    }
    scratch_.put_back_spurious(end_->spurious_left());
}

}  // namespace coopcheck
