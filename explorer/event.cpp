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

}  // namespace coopcheck
