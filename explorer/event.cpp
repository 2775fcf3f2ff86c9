#include "explorer/event.hpp"

#include <algorithm>

#include "explorer/faults.hpp"

namespace coopcheck {

Label event_label(const SyncModel& before, ThreadId thread, const Operation& operation, Variant variant,
                  const LabelOptions& options) {
    Label label = label_of(before, thread, operation, variant, options);
    if (!fault(Fault::IgnoreWakeups) && !fault(Fault::AddsCommuteWithReads)) {
        return label;
    }
    Label spoilt;
    for (const Label::Entry& entry : label.entries()) {
        if (fault(Fault::IgnoreWakeups) && entry.location.kind() == Location::Kind::Wake) {
            continue;
        }
        spoilt.add(entry.location, entry.effect == Effect::Add && fault(Fault::AddsCommuteWithReads)
                                       ? Effect::Read
                                       : entry.effect);
    }
    return spoilt;
}

StatesBefore states_before(const SyncModel& model, ThreadId thread, const Label& label) {
    StatesBefore before;
    before.spurious_left = model.spurious_left();
    before.threads.emplace_back(thread, model.thread(thread));
    for (const Label::Entry& entry : label.entries()) {
        if (entry.effect == Effect::Read) {
            continue;
        }
        const auto number = static_cast<std::uint32_t>(entry.location.value());
        const Location::Kind kind = entry.location.kind();
        if (kind == Location::Kind::Object && model.known(ObjectId{number})) {
            before.objects.emplace_back(ObjectId{number}, model.object(ObjectId{number}));
        }
        if (kind == Location::Kind::Thread || kind == Location::Kind::Wake) {
            const ThreadId other{number};
            const bool is_noted = std::any_of(before.threads.begin(), before.threads.end(),
                                              [&](const auto& noted) { return noted.first == other; });
            if (!is_noted && model.knows(other)) {
                before.threads.emplace_back(other, model.thread(other));
            }
        }
    }
    return before;
}

Event event_before(const SyncModel& model, ThreadId thread, const Operation& operation, Variant variant,
                   const LabelOptions& options) {
    Event event;
    event.thread = thread;
    event.operation = operation;
    event.variant = variant;
    event.label = event_label(model, thread, operation, variant, options);
    if (variant.kind == Variant::Kind::Timeout && !model.model_options().explore_timeouts) {
        event.waiting = event_label(model, thread, operation, Variant::normal(), options);
    }
    event.before = states_before(model, thread, event.label);
    if (variant.kind != Variant::Kind::Normal) {
        for (const Variant other : model.options(thread, operation)) {
            if (other != variant) {
                event.alternatives.push_back(event_label(model, thread, operation, other, options));
            }
        }
    }
    return event;
}

void made(Event& event, const StepResult& step) {
    event.operation = step.operation;
    if (ends_others(step) && !fault(Fault::EndIsIndependent)) {
        event.label.add_world();
    }
}

void add_accesses(Event& event, const StepResult& step) {
    for (const Access& access : step.accesses) {
        if (access.fresh || fault(Fault::ForgetAccesses)) {
            continue;
        }
        for (std::uint32_t byte = 0; byte < access.size; ++byte) {
            event.label.add(Location::memory(access.location.value() + byte),
                            access.write ? Effect::Write : Effect::Read);
        }
    }
}

namespace {

Label with_effect(const Label& label, Location location, Effect effect) {
    Label changed;
    for (const Label::Entry& entry : label.entries()) {
        changed.add(entry.location, entry.location == location ? effect : entry.effect);
    }
    return changed;
}

bool writes(const Event& event, Location location) {
    const auto entries = event.label.entries();
    return std::any_of(entries.begin(), entries.end(), [&](const Label::Entry& entry) {
        return entry.location == location && entry.effect == Effect::Write;
    });
}

}  // namespace

bool is_plain_section(const Event& lock, const Event& unlock, const SyncModel& model) {
    const ObjectId mutex = lock.operation.object;
    if (fault(Fault::EverySectionIsPlain) && lock.operation.kind == OpKind::MutexLock) {
        return true;
    }
    return lock.operation.kind == OpKind::MutexLock && unlock.operation.kind == OpKind::MutexUnlock &&
           unlock.operation.object == mutex && !lock.operation.timed &&
           lock.variant.kind == Variant::Kind::Normal && writes(lock, Location::object(mutex)) &&
           writes(unlock, Location::object(mutex)) && !unlock.label.has_world() &&
           // Who locks a robust mutex after a death is told so: its state is data.
           !model.object(mutex).robust;
}

void make_plain_section(Event& lock, Event& unlock) {
    const Location mutex = Location::object(lock.operation.object);
    lock.label = with_effect(lock.label, mutex, Effect::Add);
    unlock.label = with_effect(unlock.label, mutex, Effect::Add);
    unlock.ends_plain_section = true;
}

void unmake_plain_section(Event& lock) {
    lock.label = with_effect(lock.label, Location::object(lock.operation.object), Effect::Write);
}

void note_pending(const Execution& execution, ThreadId except, std::vector<PendingOperation>& pending) {
    pending.clear();
    for (const ParkedThread& parked : execution.parked()) {
        if (parked.thread != except) {
            pending.push_back({parked.thread, parked.operation});
        }
    }
}

}  // namespace coopcheck
