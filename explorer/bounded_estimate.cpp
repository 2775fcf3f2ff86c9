#include "explorer/bounded_estimate.hpp"

#include <vector>

#include "core/schedule.hpp"
#include "core/switch.hpp"
#include "explorer/random_stream.hpp"

namespace coopcheck {

namespace {

/// What can be done next within the bound. Time limits run out where nothing else can be done.
std::vector<Choice> allowed(const Execution& execution, const Turns& turns, unsigned preemptions_left) {
    std::vector<Choice> choices;
    for (const bool timeouts : {false, true}) {
        for (const ParkedThread& parked : execution.parked()) {
            if (preemptions_left == 0 &&
                turns.switch_to(execution, parked.thread) == SwitchKind::Preemption) {
                continue;
            }
            if (!timeouts) {
                for (const Variant variant : execution.model().options(parked.thread, parked.operation)) {
                    choices.push_back({parked.thread, variant});
                }
            } else if (execution.model().can_time_out(parked.thread, parked.operation)) {
                choices.push_back({parked.thread, Variant::timeout()});
            }
        }
        if (!choices.empty()) {
            break;
        }
    }
    return choices;
}

void walk(Execution& execution, const BoundedEstimateOptions& options, std::size_t number,
          TreeEstimate& estimate) {
    RandomStream random(options.seed, number);
    Turns turns;
    unsigned left = options.bound;
    execution.restart();
    for (std::size_t step = 0; step < options.most_steps; ++step) {
        const std::vector<Choice> choices = allowed(execution, turns, left);
        if (choices.empty()) {
            estimate.end_walk();
            return;
        }
        estimate.branch(choices.size());
        const Choice choice = choices[random.below(choices.size())];
        if (turns.switch_to(execution, choice.thread) == SwitchKind::Preemption) {
            left -= 1;
        }
        const StepResult made = execution.step(choice.thread, choice.variant);
        turns.made_step(choice.thread, made.operation.kind);
        if (made.end) {
            estimate.end_walk();
            return;
        }
    }
    estimate.drop_walk();
}

}  // namespace

TreeEstimate estimate_within_bound(Execution& execution, const BoundedEstimateOptions& options) {
    TreeEstimate estimate;
    try {
        for (std::size_t number = 0; number < options.walks; ++number) {
            if (options.should_stop && options.should_stop()) {
                break;
            }
            walk(execution, options, number, estimate);
        }
    } catch (const Refined&) {
        return {};
    }
    return estimate;
}

}  // namespace coopcheck
