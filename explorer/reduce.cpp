#include "explorer/reduce.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace coopcheck {

namespace {

using Position = std::vector<PlannedRun>::difference_type;

Position position(std::size_t index) { return static_cast<Position>(index); }

}  // namespace

bool Reducer::stopped() {
    stopped_ = stopped_ || (should_stop_ && should_stop_());
    return stopped_;
}

bool Reducer::try_plan(Counterexample& best, const Plan& plan) {
    if (!tried_.insert(plan).second || stopped()) {
        return false;
    }
    ++count_;
    const std::size_t common = common_steps(best.steps, plan_of(best.steps), plan);
    if (common == best.steps.size()) {
        return false;  // shows the finding before it differs
    }
    walk_.resume(best.places[common], best.steps, common);
    std::optional<Finding> finding = follow(walk_, plan, wanted_, best.cost, most_steps_);
    if (!finding) {
        return false;
    }
    best = counterexample_of(walk_, std::move(*finding));
    return true;
}

void Reducer::reduce(Counterexample& best) {
    bool better = true;
    while (better && !stopped()) {
        better = take_runs_out(best);
        better = straighten_variants(best) || better;
        better = let_runs_go_on(best) || better;
        better = bring_runs_together(best) || better;
        better = exchange_runs(best) || better;
        better = cut_runs_short(best) || better;
    }
}

bool Reducer::take_runs_out(Counterexample& best) {
    // Large pieces first, as in ddmin; a piece that can go is followed by the next one at the same place.
    bool better = false;
    for (std::size_t size = plan_of(best.steps).runs.size(); size > 0; size /= 2) {
        std::size_t first = 0;
        while (!stopped()) {
            Plan plan = plan_of(best.steps);
            if (first >= plan.runs.size()) {
                break;
            }
            const std::size_t end = std::min(first + size, plan.runs.size());
            plan.runs.erase(plan.runs.begin() + position(first), plan.runs.begin() + position(end));
            if (try_plan(best, plan)) {
                better = true;
            } else {
                first += size;
            }
        }
    }
    return better;
}

bool Reducer::let_runs_go_on(Counterexample& best) {
    bool better = false;
    for (std::size_t index = 0; !stopped(); ++index) {
        Plan plan = plan_of(best.steps);
        if (index >= plan.runs.size()) {
            break;
        }
        plan.runs[index].steps = as_long_as_possible;
        better = try_plan(best, plan) || better;
    }
    return better;
}

bool Reducer::bring_runs_together(Counterexample& best) {
    bool better = false;
    for (std::size_t index = 0; !stopped(); ++index) {
        const Plan plan = plan_of(best.steps);
        if (index >= plan.runs.size()) {
            break;
        }
        const auto is_same = [&](const PlannedRun& run) { return run.thread == plan.runs[index].thread; };
        const auto next = std::find_if(plan.runs.begin() + position(index) + 1, plan.runs.end(), is_same);
        if (next == plan.runs.end()) {
            continue;
        }
        const auto other = static_cast<std::size_t>(next - plan.runs.begin());
        Plan earlier = plan;  // the later of the two right after the earlier one
        earlier.runs[index].steps += earlier.runs[other].steps;
        earlier.runs.erase(earlier.runs.begin() + position(other));
        Plan later = plan;
        later.runs[other].steps += later.runs[index].steps;
        later.runs.erase(later.runs.begin() + position(index));
        better = try_plan(best, earlier) || try_plan(best, later) || better;
    }
    return better;
}

bool Reducer::exchange_runs(Counterexample& best) {
    bool better = false;
    for (std::size_t index = 0; !stopped(); ++index) {
        Plan plan = plan_of(best.steps);
        if (index + 1 >= plan.runs.size()) {
            break;
        }
        std::swap(plan.runs[index], plan.runs[index + 1]);
        better = try_plan(best, plan) || better;
    }
    return better;
}

bool Reducer::cut_runs_short(Counterexample& best) {
    bool better = false;
    for (std::size_t index = 0; !stopped(); ++index) {
        const Plan plan = plan_of(best.steps);
        if (index >= plan.runs.size()) {
            break;
        }
        const std::size_t steps = plan.runs[index].steps;
        for (std::size_t less = steps / 2; less > 0; less /= 2) {
            Plan shorter = plan;
            shorter.runs[index].steps = steps - less;
            if (try_plan(best, shorter)) {
                better = true;
                break;
            }
        }
    }
    return better;
}

bool Reducer::straighten_variants(Counterexample& best) {
    bool better = false;
    Plan straight = plan_of(best.steps);
    straight.variants.clear();
    better = try_plan(best, straight);
    for (std::size_t index = 0; !stopped(); ++index) {
        Plan plan = plan_of(best.steps);
        if (index >= plan.variants.size()) {
            break;
        }
        plan.variants.erase(std::next(plan.variants.begin(), static_cast<Position>(index)));
        better = try_plan(best, plan) || better;
    }
    return better;
}

}  // namespace coopcheck
