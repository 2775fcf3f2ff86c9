#include "explorer/counterexample.hpp"

#include <utility>

namespace coopcheck {

Counterexample counterexample_of(Walk& walk, Finding finding) {
    Counterexample example;
    example.steps = walk.steps();
    example.cost = walk.cost();
    finding.schedule = walk.schedule();
    finding.preemptions = static_cast<unsigned>(walk.cost().preemptions);
    example.finding = std::move(finding);
    example.places.resize(example.steps.size() + 1);
    PlacePtr place = walk.execution().here();
    for (std::size_t index = example.places.size(); index-- > 0; place = place->parent()) {
        example.places[index] = place;
    }
    // Many schedules with the same beginnings will be tried: going there once more, and asking for the place
    // where threads change, gives the execution the opportunity to keep copies.
    for (std::size_t index = 1; index < example.steps.size(); ++index) {
        if (example.steps[index].choice.thread != example.steps[index - 1].choice.thread) {
            walk.execution().revisit(example.places[index]);
            (void)walk.execution().here();
        }
    }
    walk.execution().revisit(example.places.back());
    return example;
}

}  // namespace coopcheck
