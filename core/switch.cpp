#include "core/switch.hpp"

#include <algorithm>

namespace coopcheck {

bool offers_to_yield(OpKind kind) { return kind == OpKind::Yield || kind == OpKind::Sleep; }

bool wants_to_go_on(const Execution& execution, ThreadId thread, OpKind done) {
    const auto parked = execution.parked();
    return !offers_to_yield(done) &&
           std::any_of(parked.begin(), parked.end(), [&](const ParkedThread& entry) {
               return entry.thread == thread && execution.model().enabled(thread, entry.operation);
           });
}

SwitchKind Turns::switch_to(const Execution& execution, ThreadId next) const {
    const bool costs = last_.valid() && last_ != next && wants_to_go_on(execution, last_, done_);
    return switch_kind(last_, costs, next);
}

void Turns::made_step(ThreadId thread, OpKind done) {
    last_ = thread;
    done_ = done;
}

}  // namespace coopcheck
