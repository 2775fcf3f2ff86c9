#include "explorer/walk.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/switch.hpp"

namespace coopcheck {

void Walk::restart() {
    execution_.restart();
    steps_.clear();
    steps_of_.clear();
    cost_ = {};
}

void Walk::resume(const PlacePtr& place, const std::vector<WalkStep>& steps, std::size_t count) {
    COOPCHECK_CHECK(place->depth() == count && count <= steps.size(), "a walk is resumed where it never was");
    execution_.revisit(place);
    steps_.clear();
    steps_of_.clear();
    cost_ = {};
    for (std::size_t index = 0; index < count; ++index) {
        account(steps[index]);
    }
}

const ParkedThread* Walk::parked(ThreadId thread) const {
    const auto all = execution_.parked();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ParkedThread& entry) { return entry.thread == thread; });
    return found == all.end() ? nullptr : &*found;
}

bool Walk::anybody_enabled() const {
    const auto all = execution_.parked();
    return std::any_of(all.begin(), all.end(), [&](const ParkedThread& entry) {
        return execution_.model().enabled(entry.thread, entry.operation);
    });
}

std::vector<Variant> Walk::options(ThreadId thread) const {
    const ParkedThread* entry = parked(thread);
    if (entry == nullptr) {
        return {};
    }
    std::vector<Variant> variants = execution_.model().options(thread, entry->operation);
    if (variants.empty() && execution_.model().can_time_out(thread, entry->operation) && !anybody_enabled()) {
        variants.push_back(Variant::timeout());
    }
    return variants;
}

bool Walk::is_legal(Choice choice) const {
    const ParkedThread* entry = parked(choice.thread);
    const std::vector<Variant> variants = options(choice.thread);
    return std::find(variants.begin(), variants.end(), choice.variant) != variants.end() ||
           (entry != nullptr && choice.variant == Variant::timeout() &&
            execution_.model().can_time_out(choice.thread, entry->operation));
}

bool Walk::can_go_on(ThreadId thread) const { return !options(thread).empty(); }

bool Walk::gave_way() const { return !steps_.empty() && offers_to_yield(steps_.back().operation.kind); }

StepResult Walk::step(Choice choice) {
    COOPCHECK_CHECK(is_legal(choice), "a walk is to make a step that is not possible");
    const std::vector<Variant> variants = options(choice.thread);
    WalkStep made{choice, {}, false, false};
    const bool costs = last().valid() && wants_to_go_on(execution_, last(), steps_.back().operation.kind);
    made.preempting = switch_kind(last(), costs, choice.thread) == SwitchKind::Preemption;
    made.odd = variants.empty() || choice.variant != variants.front() ||
               choice.variant.kind == Variant::Kind::Timeout ||
               choice.variant.kind == Variant::Kind::Spurious;
    StepResult result = execution_.step(choice.thread, choice.variant);
    made.operation = result.operation;
    account(made);
    return result;
}

void Walk::account(const WalkStep& step) {
    const ThreadId thread = step.choice.thread;
    if (steps_of_.size() <= thread.index()) {
        steps_of_.resize(thread.index() + 1);
    }
    cost_.preemptions += step.preempting ? 1 : 0;
    cost_.switches += last().valid() && last() != thread ? 1 : 0;
    cost_.steps += 1;
    cost_.threads += steps_of_[thread.index()] == 0 ? 1 : 0;
    cost_.odd_variants += step.odd ? 1 : 0;
    steps_of_[thread.index()] += 1;
    steps_.push_back(step);
}

std::size_t Walk::steps_of(ThreadId thread) const {
    return thread.index() < steps_of_.size() ? steps_of_[thread.index()] : 0;
}

Schedule Walk::schedule() const {
    Schedule schedule;
    schedule.reserve(steps_.size());
    for (const WalkStep& step : steps_) {
        schedule.push_back(step.choice);
    }
    return schedule;
}

}  // namespace coopcheck
