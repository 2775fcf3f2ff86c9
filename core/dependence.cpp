// The labels of events: the footprints of sync_footprint.cpp, refined where an operation changes less in the
// state it meets than it could. That what is called independent commutes is tested on random states.
#include "core/dependence.hpp"

#include <algorithm>

namespace coopcheck {

void Label::add(Location location, Effect effect) {
    const std::span<const Entry> all = entries();
    const auto position =
        std::lower_bound(all.begin(), all.end(), location,
                         [](const Entry& entry, Location wanted) { return entry.location < wanted; });
    const auto index = position - all.begin();
    if (position != all.end() && position->location == location) {
        Entry& entry =
            many_.empty() ? few_[static_cast<std::size_t>(index)] : many_[static_cast<std::size_t>(index)];
        entry.effect = entry.effect == effect ? effect : Effect::Write;
        return;
    }
    if (many_.empty() && size_ < most_few) {
        std::move_backward(few_.begin() + index, few_.begin() + static_cast<std::ptrdiff_t>(size_),
                           few_.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
        few_[static_cast<std::size_t>(index)] = Entry{location, effect};
        size_ += 1;
        return;
    }
    if (many_.empty()) {
        many_.assign(few_.begin(), few_.end());
    }
    many_.insert(many_.begin() + index, Entry{location, effect});
}

bool Label::depends_on(const Label& other) const {
    if (has_world() || other.has_world()) {
        return true;
    }
    const std::span<const Entry> my_entries = entries();
    const std::span<const Entry> their_entries = other.entries();
    auto mine = my_entries.begin();
    auto theirs = their_entries.begin();
    while (mine != my_entries.end() && theirs != their_entries.end()) {
        if (mine->location < theirs->location) {
            ++mine;
        } else if (theirs->location < mine->location) {
            ++theirs;
        } else if (!commute(mine->effect, theirs->effect)) {
            return true;
        } else {
            ++mine;
            ++theirs;
        }
    }
    return false;
}

namespace {

/// Far from where sem_post fails: there the order of two posts is seen.
constexpr std::uint32_t many_posts = 2'000'000'000;

/// How the operation's object is touched where that is less than a write, in the state it is in.
Effect refined(const ObjectState& object, ThreadId thread, const Operation& operation, Variant variant) {
    const bool held_by_another = object.owner.valid() && object.owner != thread;
    switch (operation.kind) {
        case OpKind::MutexLock:
            // Locked by the thread itself, and so it stays.
            return object.owner == thread || variant.kind == Variant::Kind::Timeout ? Effect::Read
                                                                                    : Effect::Write;
        case OpKind::MutexTryLock:
            return object.owner.valid() ? Effect::Read : Effect::Write;
        case OpKind::MutexUnlock:
            // Not its owner: EPERM. A recursive mutex stays locked.
            return object.owner != thread || object.count > 1 ? Effect::Read : Effect::Write;
        case OpKind::SpinTryLock:
            return object.owner.valid() ? Effect::Read : Effect::Write;
        case OpKind::CondSignal:
        case OpKind::CondBroadcast:
            return object.waiters.empty() ? Effect::Read : Effect::Write;
        case OpKind::RwReadLock:
        case OpKind::RwTryReadLock:
            return Effect::Add;  // a reader that cannot come in does not mind readers either
        case OpKind::RwTryWriteLock:
            return held_by_another || object.owner == thread || !object.readers.empty() ||
                           !object.waiters.empty()
                       ? Effect::Read
                       : Effect::Write;
        case OpKind::RwWriteLock:
            return variant.kind == Variant::Kind::Timeout ? Effect::Read : Effect::Write;
        case OpKind::RwUnlock:
            return object.owner == thread ? Effect::Write : Effect::Add;
        case OpKind::SemTryWait:
            return object.count == 0 ? Effect::Read : Effect::Write;
        case OpKind::SemWait:
            return variant.kind == Variant::Kind::Timeout || variant.kind == Variant::Kind::Cancel
                       ? Effect::Read
                       : Effect::Write;
        case OpKind::SemPost:
            return object.count < many_posts ? Effect::Add : Effect::Write;
        default:
            return Effect::Write;
    }
}

bool is_second_half(OpKind kind) {
    return kind == OpKind::CondResume || kind == OpKind::BarrierResume || kind == OpKind::FutexResume;
}

/// Whom the operation wakes up.
void add_woken(const SyncModel& before, const Operation& operation, Variant variant, Label& label) {
    if (!before.known(operation.object)) {
        return;
    }
    const ObjectState& object = before.object(operation.object);
    const auto wake = [&](ThreadId thread) { label.add(Location::wake(thread), Effect::Write); };
    switch (operation.kind) {
        case OpKind::CondSignal:
        case OpKind::FutexWake:
            if (variant.kind == Variant::Kind::Wake) {
                wake(variant.thread);
                return;
            }
            [[fallthrough]];  // all of them, or (Subset) some
        case OpKind::CondBroadcast:
            std::for_each(object.waiters.begin(), object.waiters.end(), wake);
            return;
        case OpKind::BarrierWait:
            if (object.count + 1 == object.needed) {
                std::for_each(object.waiters.begin(), object.waiters.end(), wake);
            }
            return;
        default:
            return;
    }
}

}  // namespace

Label label_of(const SyncModel& before, ThreadId thread, const Operation& operation, Variant variant,
               const LabelOptions& options) {
    Label label;
    if (operation.kind == OpKind::Output && !options.output_matters) {
        return label;
    }
    if (variant.kind == Variant::Kind::Timeout && !before.model_options().explore_timeouts) {
        label.add_world();  // it comes when nothing else can
        return label;
    }
    Footprint footprint;
    before.footprint(thread, operation, variant, true, footprint);
    const Location own_object = Location::object(operation.object);
    for (const Footprint::Entry& entry : footprint.entries()) {
        Effect effect = entry.write ? Effect::Write : Effect::Read;
        const bool can_be_less = operation.object.valid() && entry.location == own_object &&
                                 before.known(operation.object) &&
                                 traits(operation.kind).object_class != ObjectClass::None;
        if (can_be_less && !is_second_half(operation.kind)) {
            const Effect less = refined(before.object(operation.object), thread, operation, variant);
            effect = entry.write || less == Effect::Add ? less : effect;
        }
        if (is_second_half(operation.kind) && entry.location == own_object && effect == Effect::Read &&
            variant.kind != Variant::Kind::Normal) {
            effect = Effect::Add;  // leaves the waiters by itself; those who do so do it in any order
        }
        label.add(entry.location, effect);
    }
    if (is_second_half(operation.kind)) {
        label.add(Location::wake(thread), Effect::Read);
        if (operation.kind == OpKind::CondResume && before.model_options().spurious_wakeups > 0) {
            // Also when it was woken, or none is left: had it gone before, it might have taken the last one.
            label.add(Location::object(ObjectId{}),
                      variant.kind == Variant::Kind::Spurious ? Effect::Write : Effect::Read);
        }
    }
    add_woken(before, operation, variant, label);
    return label;
}

}  // namespace coopcheck
