#include "explorer/trace_hash.hpp"

#include "explorer/random_stream.hpp"

namespace coopcheck {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    return RandomStream(hash ^ (value * 0xff51afd7ed558ccdULL)).next();
}

std::uint64_t mix(std::uint64_t hash, Choice choice) {
    hash = mix(hash, choice.thread.index());
    hash = mix(hash, static_cast<std::uint64_t>(choice.variant.kind));
    hash = mix(hash, choice.variant.thread.index());
    return mix(hash, choice.variant.value);
}

}  // namespace

void TraceHash::step(Choice choice, const Operation& operation, const Footprint& footprint) {
    choices_ = mix(choices_, choice);

    if (last_of_thread_.size() <= choice.thread.index()) {
        last_of_thread_.resize(choice.thread.index() + 1);
    }
    std::uint64_t event = mix(last_of_thread_[choice.thread.index()], choice);
    event = mix(event, static_cast<std::uint64_t>(operation.kind));
    event = mix(event, operation.object.index());
    event = mix(event, operation.thread.index());
    for (const Footprint::Entry& entry : footprint.entries()) {
        if (entry.location == Location::world()) {
            event = mix(event, events_);  // after everything so far
            continue;
        }
        const LastTouches& last = touches_[entry.location];
        event = mix(event, last.write);
        event = entry.write ? mix(event, last.reads) : event;
    }
    for (const Footprint::Entry& entry : footprint.entries()) {
        LastTouches& last = touches_[entry.location];
        if (entry.write) {
            last = {event, 0};
        } else {
            last.reads += event;
        }
    }
    last_of_thread_[choice.thread.index()] = event;
    events_ += event;
}

}  // namespace coopcheck
