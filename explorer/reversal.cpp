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

/// Had it come earlier it might have touched what it did not: who was cancelled would have taken a unit, who
/// was woken would have left by itself. What came after it may then have to come before it.
bool may_depend_on_more(const Event& event) {
    return event.variant.kind == Variant::Kind::Cancel || event.operation.kind == OpKind::CondResume;
}

}  // namespace

std::vector<Reversal> Reversals::of(const std::vector<const Event*>& events, std::size_t seen,
                                    const std::vector<PendingOperation>& pending, const SyncModel& end) {
    events_ = events;
    end_ = &end;
    found_.clear();
    order_.clear();
    for (const Event* event : events_) {
        order_.add(event->thread, event->label);
    }
    rewind_.look_at(events_, order_, end);
    for (std::size_t number = 0; number < events_.size(); ++number) {
        const Event& event = *events_[number];
        if (number < seen && !may_depend_on_more(event)) {
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
        look_back({number, operation.thread, operation.operation, &label, nullptr});
    }
    return std::move(found_);
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
    const std::size_t known = found_.size();
    const bool reversed = try_without(removed, at, late);
    if (!can_block(late.operation) || late.label->has_world()) {
        return reversed;
    }
    // With first moves alone, what the operation depends on only as it is then has to be asked for without,
    // too; wakeup trees have the orders of it from the whole sequence.
    std::vector<Label> labels{*late.label};
    for (std::size_t number = known; options_.only_past && number < found_.size(); ++number) {
        labels.push_back(found_[number].sequence.back().label);
    }
    const auto decides = [&](const Event& event) {
        return std::any_of(labels.begin(), labels.end(),
                           [&](const Label& label) { return event.label.depends_on(label); });
    };
    // What is left may still have decided about the operation: who held a lock for reading, woke the thread
    // up, or asked it to stop. It is asked for without these, too: each alone, and one after the other.
    Removed all = removed;
    for (std::size_t other = events_.size(); other-- > at + 1;) {
        if (removed[other] != 0 || events_[other]->thread == late.thread || !decides(*events_[other]) ||
            fault(Fault::KeepDeciders)) {
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
    SyncModel& without = rewind_.without(removed, at, late);
    Operation operation = late.operation;
    if (operation.kind == OpKind::SystemCall) {
        operation.value = 1;  // only the kernel knows; it is tried
    }
    std::vector<Move> moves;
    for (const Variant variant : without.options(late.thread, operation)) {
        moves.push_back(
            {late.thread, variant, event_label(without, late.thread, operation, variant, options_.labels)});
    }
    // What is a misuse has no other variants.
    if (moves.size() == 1 && ends_run(without, late.thread, operation, moves.front().variant)) {
        moves.front().label.add_world();
    }
    rewind_.back(late);
    // All variants are explored where one of them is. But what sleeps may cover one, and not another.
    bool reversed = false;
    for (Move& move : moves) {
        if (move.label.depends_on(events_[at]->label)) {  // otherwise its order does not matter
            reversed = reversed || late.event == nullptr || move.variant == late.event->variant;
            add(removed, at, late, std::move(move));
        }
    }
    return reversed;
}

void Reversals::add(const Removed& removed, std::size_t at, const Late& late, Move move) {
    Reversal reversal{at, {}};
    const std::vector<char> past = options_.only_past ? past_of(move, removed, at, late) : Removed{};
    for (std::size_t number = at + 1; number < events_.size(); ++number) {
        if (removed[number] == 0 && (!options_.only_past || past[number] != 0)) {
            const Event& event = *events_[number];
            reversal.sequence.push_back({event.thread, event.variant, event.label});
        }
    }
    const Event& event = *events_[at];
    const bool has_alternative =
        !options_.only_past && std::any_of(event.alternatives.begin(), event.alternatives.end(),
                                           [&](const Label& other) { return !other.depends_on(move.label); });
    reversal.sequence.push_back(std::move(move));
    if (has_alternative) {
        // Another variant of the event that sleeps, and has no order with the operation, does not cover this
        // one after the operation.
        reversal.sequence.push_back({event.thread, event.variant, event.label});
    }
    found_.push_back(std::move(reversal));
}

std::vector<char> Reversals::past_of(const Move& move, const Removed& removed, std::size_t at,
                                     const Late& late) const {
    // As it is then it may depend on more than it did: a wait that was cancelled did not mind who else looked
    // for a unit and took none. What ends the process is reversed with everything when it is run.
    const bool is_same = move.label == *late.label || move.label.has_world();
    std::vector<char> past(events_.size(), 0);
    for (std::size_t number = events_.size(); number-- > at + 1;) {
        if (removed[number] != 0) {
            continue;
        }
        bool is_before =
            order_.before(number, late.number) || (!is_same && events_[number]->label.depends_on(move.label));
        for (std::size_t later = number + 1; !is_same && !is_before && later < events_.size(); ++later) {
            is_before = past[later] != 0 && order_.before(number, later);
        }
        past[number] = is_before ? 1 : 0;
    }
    return past;
}

bool Reversals::ends_run(SyncModel& model, ThreadId thread, const Operation& operation, Variant variant) {
    if (operation.kind == OpKind::ThreadCreate) {
        return false;
    }
    if (operation.kind == OpKind::ThreadExit) {
        const std::vector<ObjectId>& held = model.held(thread);
        return std::any_of(held.begin(), held.end(),
                           [&](ObjectId object) { return !model.object(object).robust; });
    }
    std::vector<ThreadId> waiters;
    if (operation.object.valid() && model.known(operation.object)) {
        waiters = model.object(operation.object).waiters;
    }
    const bool misuse = model.apply(thread, operation, variant).misuse.has_value();
    for (const ThreadId waiter : waiters) {
        model.put_back(waiter, end_->thread(waiter));
    }
    return misuse;  // the rest is put back by Rewind::back()
}

}  // namespace coopcheck
