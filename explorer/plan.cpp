#include "explorer/plan.hpp"

#include <algorithm>

namespace coopcheck {

namespace {

/// One attempt at a plan.
class Attempt {
  public:
    Attempt(Walk& walk, const Plan& plan, const Wanted& wanted, const ScheduleCost& below,
            std::size_t most_steps)
        : walk_(walk), plan_(plan), wanted_(wanted), below_(below), most_steps_(most_steps) {}

    std::optional<Finding> run() {
        std::size_t made_before = walk_.steps().size();
        for (const PlannedRun& run : plan_.runs) {
            const std::size_t skipped = std::min(made_before, run.steps);
            made_before -= skipped;
            for (std::size_t made = skipped; made < run.steps && !over_; ++made) {
                if (!step(run.thread)) {
                    break;
                }
            }
        }
        while (!over_) {
            const std::optional<ThreadId> next = next_without_preemption(walk_, TurnOrder::Ascending);
            if (!next || !step(*next)) {
                break;
            }
        }
        return found_;
    }

  private:
    bool step(ThreadId thread) {
        const std::vector<Variant> options = walk_.options(thread);
        if (options.empty()) {
            return false;
        }
        const auto planned = plan_.variants.find({thread, walk_.steps_of(thread)});
        const bool possible = planned != plan_.variants.end() &&
                              std::find(options.begin(), options.end(), planned->second) != options.end();
        const StepResult result = walk_.step({thread, possible ? planned->second : options.front()});
        // Costs only grow, so what is not better now never will be.
        if (walk_.cost() >= below_) {
            over_ = true;
            return true;
        }
        found_ = wanted_.after(walk_.execution(), thread, result);
        over_ = found_ || result.end || walk_.steps().size() >= most_steps_;
        return true;
    }

    Walk& walk_;
    const Plan& plan_;
    const Wanted& wanted_;
    const ScheduleCost& below_;
    std::size_t most_steps_;
    std::optional<Finding> found_;
    bool over_ = false;
};

}  // namespace

Plan plan_of(const std::vector<WalkStep>& steps) {
    Plan plan;
    std::map<ThreadId, std::size_t> steps_of;
    for (const WalkStep& step : steps) {
        const ThreadId thread = step.choice.thread;
        if (plan.runs.empty() || plan.runs.back().thread != thread) {
            plan.runs.push_back({thread, 0});
        }
        plan.runs.back().steps += 1;
        if (step.odd) {
            plan.variants[{thread, steps_of[thread]}] = step.choice.variant;
        }
        steps_of[thread] += 1;
    }
    return plan;
}

std::size_t common_steps(const std::vector<WalkStep>& steps, const Plan& known, const Plan& plan) {
    std::size_t common = 0;
    for (std::size_t index = 0; index < known.runs.size() && index < plan.runs.size(); ++index) {
        const PlannedRun& left = known.runs[index];
        const PlannedRun& right = plan.runs[index];
        if (left.thread == right.thread) {
            common += std::min(left.steps, right.steps);
        }
        if (left != right) {
            break;
        }
    }
    common = std::min(common, steps.size());
    std::map<ThreadId, std::size_t> steps_of;
    for (std::size_t index = 0; index < common; ++index) {
        const std::pair key{steps[index].choice.thread, steps_of[steps[index].choice.thread]++};
        const auto left = known.variants.find(key);
        const auto right = plan.variants.find(key);
        const bool same = left == known.variants.end()
                              ? right == plan.variants.end()
                              : right != plan.variants.end() && left->second == right->second;
        if (!same) {
            return index;
        }
    }
    return common;
}

std::optional<ThreadId> next_without_preemption(const Walk& walk, TurnOrder order) {
    const ThreadId last = walk.last();
    if (last.valid() && !walk.gave_way() && walk.can_go_on(last)) {
        return last;
    }
    std::vector<ThreadId> turns;
    for (const ParkedThread& parked : walk.execution().parked()) {
        turns.push_back(parked.thread);
    }
    if (order == TurnOrder::Descending) {
        std::reverse(turns.begin(), turns.end());
    }
    // Those that come after the last one, then from the beginning, itself at the end.
    if (last.valid()) {
        const auto is_after = [&](ThreadId thread) {
            return order == TurnOrder::Ascending ? thread > last : thread < last;
        };
        std::stable_partition(turns.begin(), turns.end(), is_after);
    }
    const auto next =
        std::find_if(turns.begin(), turns.end(), [&](ThreadId thread) { return walk.can_go_on(thread); });
    return next == turns.end() ? std::nullopt : std::optional{*next};
}

std::optional<Finding> follow(Walk& walk, const Plan& plan, const Wanted& wanted, const ScheduleCost& below,
                              std::size_t most_steps) {
    return Attempt(walk, plan, wanted, below, most_steps).run();
}

}  // namespace coopcheck
