#include "explorer/reversal.hpp"

#include <algorithm>
#include <utility>

#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

bool can_block(const Operation& operation) {
    switch (operation.kind) {
        case OpKind::FutexResume:
        case OpKind::SystemCall:
            return true;
        default:
            return traits(operation.kind).mover == Mover::Acquire;
    }
}

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
void add_again(ObjectState& object, ObjectId id, const Event& event) {
    const ObjectState* before = find(event.before.objects, id);
    if (before == nullptr || event.operation.object != id) {
        return;
    }
    switch (event.operation.kind) {
        case OpKind::SemPost:
            object.count += 1;
            break;
        case OpKind::RwTryReadLock:
            if (before->owner.valid() ||
                (before->rw_policy == RwPolicy::PreferWriter && !before->waiters.empty())) {
                break;  // failed
            }
            [[fallthrough]];
        case OpKind::RwReadLock:
            if (event.variant.kind == Variant::Kind::Normal && before->owner != event.thread) {
                change_readers(object, event.thread, 1);
            }
            break;
        case OpKind::RwUnlock:
            change_readers(object, event.thread, -1);
            break;
        default:
            break;
    }
}

}  // namespace

std::vector<Reversal> Reversals::of(const std::vector<const Event*>& events, std::size_t seen,
                                    const std::vector<PendingOperation>& pending, const SyncModel& end) {
    events_ = events;
    end_ = &end;
    scratch_ = end;
    found_.clear();
    order_.clear();
    for (const Event* event : events_) {
        order_.add(event->thread, event->label);
    }
    attempts_.look_at(events_, order_);
    for (std::size_t number = 0; number < events_.size(); ++number) {
        const Event& event = *events_[number];
        look_at_attempts(number, event.thread, event.operation, event.waiting ? *event.waiting : event.label);
        if (number < seen) {
            continue;
        }
        // A timeout that fired as the last resort comes after everything; what could have come before is the
        // operation that waited.
        const Label& label = event.waiting ? *event.waiting : event.label;
        look_back({number, event.thread, event.operation, &label, &event});
    }
    for (const PendingOperation& operation : pending) {
        if (fault(Fault::ForgetPending)) {
            break;
        }
        std::vector<Variant> variants = end.options(operation.thread, operation.operation);
        variants.push_back(Variant::normal());
        const Label label =
            event_label(end, operation.thread, operation.operation, variants.front(), options_.labels);
        const std::size_t number = order_.add_pending(operation.thread, label);
        look_at_attempts(number, operation.thread, operation.operation, label);
        look_back({number, operation.thread, operation.operation, &label, nullptr});
    }
    return std::move(found_);
}

void Reversals::look_at_attempts(std::size_t number, ThreadId thread, const Operation& operation,
                                 const Label& label) {
    // What came after may tell that it matters: all of them, also those seen before.
    if (!options_.attempts || !can_block(operation) || fault(Fault::ForgetAttempts)) {
        return;
    }
    for (const std::size_t early : order_.news_of(number)) {
        if (attempts_.matters(early, number, thread, label)) {
            found_.push_back({early, {}});
        }
    }
}

void Reversals::look_back(const Late& late) {
    std::vector<std::size_t> reversed;
    for (const std::size_t early : order_.news_of(late.number)) {
        const bool covered = std::any_of(reversed.begin(), reversed.end(),
                                         [&](std::size_t other) { return order_.before(early, other); });
        if (covered || events_[early]->waiting || !events_[early]->label.depends_on(*late.label)) {
            continue;
        }
        // What happens before it is reversed with it, or when that run has been seen.
        if (reverse(early, late) || fault(Fault::OnlyAdjacentRaces)) {
            reversed.push_back(early);
        }
    }
}

void Reversals::remove(Removed& removed, std::size_t event) const {
    removed[event] = 1;
    for (std::size_t later = event + 1; later < events_.size(); ++later) {
        if (order_.before(event, later)) {
            removed[later] = 1;
        }
    }
}

bool Reversals::reverse(std::size_t at, const Late& late) {
    Removed removed(events_.size(), 0);
    remove(removed, at);
    const bool reversed = try_without(removed, at, late);
    if (!can_block(late.operation) || late.label->has_world()) {
        return reversed;
    }
    // What is left may still have decided about the operation: who held a lock for reading, woke the thread
    // up, or asked it to stop. It is asked for without these, too: each alone, and one after the other.
    Removed all = removed;
    for (std::size_t other = events_.size(); other-- > at + 1;) {
        if (removed[other] != 0 || events_[other]->thread == late.thread ||
            !events_[other]->label.depends_on(*late.label) || fault(Fault::KeepDeciders)) {
            continue;
        }
        Removed without = removed;
        remove(without, other);
        static_cast<void>(try_without(without, at, late));
        remove(all, other);
        if (all != without) {
            static_cast<void>(try_without(all, at, late));
        }
    }
    return reversed;
}

bool Reversals::try_without(const Removed& removed, std::size_t at, const Late& late) {
    const std::size_t previous = order_.previous_of_thread(late.number);
    const bool is_there =
        previous != EventOrder::none
            ? removed[previous] == 0
            : std::none_of(events_.begin() + static_cast<std::ptrdiff_t>(at), events_.end(),
                           [&](const Event* const& event) {
                               return event->operation.kind == OpKind::ThreadCreate &&
                                      event->operation.thread == late.thread &&
                                      removed[static_cast<std::size_t>(&event - events_.data())] != 0;
                           });
    if (!is_there) {
        return false;
    }
    rewind(removed, at, late);
    Operation operation = late.operation;
    if (operation.kind == OpKind::SystemCall) {
        operation.value = 1;  // only the kernel knows; it is tried
    }
    const std::vector<Variant> variants = scratch_.options(late.thread, operation);
    const bool same = late.event != nullptr &&
                      std::find(variants.begin(), variants.end(), late.event->variant) != variants.end();
    const bool reversed = late.event == nullptr ? !variants.empty() : same;
    if (variants.empty()) {
        forward(late);
        return reversed;
    }
    // All variants are explored where one of them is; the sequence has one whose order matters. The one that
    // was made is preferred.
    std::vector<Move> moves;
    for (const Variant variant : variants) {
        const bool is_same = same && variant == late.event->variant;
        moves.insert(
            is_same ? moves.begin() : moves.end(),
            {late.thread, variant, event_label(scratch_, late.thread, operation, variant, options_.labels)});
    }
    // What is a misuse has no other variants.
    if (moves.size() == 1 && ends_run(late.thread, operation, moves.front().variant)) {
        moves.front().label.add_world();
    }
    forward(late);
    const auto move = std::find_if(moves.begin(), moves.end(), [&](const Move& candidate) {
        return candidate.label.depends_on(events_[at]->label);
    });
    if (move == moves.end()) {
        return false;  // as it is then, its order does not matter
    }
    Reversal reversal{at, {}};
    for (std::size_t number = at + 1; number < events_.size(); ++number) {
        if (removed[number] == 0 && (!options_.only_past || order_.before(number, late.number))) {
            const Event& event = *events_[number];
            reversal.sequence.push_back({event.thread, event.variant, event.label});
        }
    }
    reversal.sequence.push_back(std::move(*move));
    found_.push_back(std::move(reversal));
    return reversed;
}

bool Reversals::ends_run(ThreadId thread, const Operation& operation, Variant variant) {
    if (operation.kind == OpKind::ThreadCreate) {
        return false;
    }
    if (operation.kind == OpKind::ThreadExit) {
        const std::vector<ObjectId>& held = scratch_.held(thread);
        return std::any_of(held.begin(), held.end(),
                           [&](ObjectId object) { return !scratch_.object(object).robust; });
    }
    std::vector<ThreadId> waiters;
    if (operation.object.valid() && scratch_.known(operation.object)) {
        waiters = scratch_.object(operation.object).waiters;
    }
    const bool misuse = scratch_.apply(thread, operation, variant).misuse.has_value();
    for (const ThreadId waiter : waiters) {
        scratch_.put_back(waiter, end_->thread(waiter));
    }
    return misuse;  // the rest is put back by forward()
}

void Reversals::rewind(const Removed& removed, std::size_t at, const Late& late) {
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
    for (std::size_t number = at; number < events_.size(); ++number) {
        if (removed[number] != 0 && events_[number]->variant.kind == Variant::Kind::Spurious) {
            scratch_.put_back_spurious(events_[number]->before.spurious_left);
            break;
        }
    }
}

void Reversals::rewind_object(ObjectId object, const Removed& removed, std::size_t at) {
    std::optional<ObjectState> state;
    for (std::size_t number = at; number < events_.size(); ++number) {
        const Event& event = *events_[number];
        const ObjectState* before = find(event.before.objects, object);
        if (before == nullptr) {
            continue;
        }
        if (!state && removed[number] != 0) {
            state = *before;
        } else if (state && removed[number] == 0) {
            add_again(*state, object, event);
        }
    }
    if (state) {
        scratch_.put_back(object, std::move(*state));
    }
}

void Reversals::rewind_thread(ThreadId thread, const Removed& removed, std::size_t at) {
    for (std::size_t number = at; number < events_.size(); ++number) {
        const Event& event = *events_[number];
        if (removed[number] != 0 && touches(event.label, Location::thread(thread), Effect::Write)) {
            if (const ThreadState* before = find(event.before.threads, thread)) {
                scratch_.put_back(thread, *before);
                return;
            }
        }
    }
}

void Reversals::rewind_own_thread(const Removed& removed, std::size_t at, const Late& late) {
    ThreadState state =
        late.event != nullptr ? *find(late.event->before.threads, late.thread) : end_->thread(late.thread);
    const std::size_t previous = order_.previous_of_thread(late.number);
    const std::size_t end = std::min(late.number, events_.size());
    bool found_request = false;
    bool found_wake = false;
    for (std::size_t number = at; number < end; ++number) {
        const Event& event = *events_[number];
        const ThreadState* before = find(event.before.threads, late.thread);
        if (removed[number] == 0 || before == nullptr || event.thread == late.thread) {
            continue;
        }
        if (!found_request && touches(event.label, Location::thread(late.thread), Effect::Write)) {
            found_request = true;
            state.cancel_requested = before->cancel_requested;
        }
        const bool is_of_this_wait = previous == EventOrder::none || number > previous;
        if (!found_wake && is_of_this_wait &&
            touches(event.label, Location::wake(late.thread), Effect::Write)) {
            found_wake = true;
            state.wake = before->wake;
        }
    }
    scratch_.put_back(late.thread, std::move(state));
}

void Reversals::forward(const Late& late) {
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
