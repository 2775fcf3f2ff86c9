#include "explorer/trail.hpp"

#include <algorithm>
#include <utility>

namespace coopcheck {

Trail::~Trail() {
    std::shared_ptr<const Trail> next = std::move(parent);
    while (next && next.use_count() == 1) {
        next = std::exchange(next->parent, nullptr);
    }
}

std::vector<StepRecord> all_steps(const TrailPtr& trail) {
    std::vector<const Trail*> links;
    for (const Trail* link = trail.get(); link != nullptr; link = link->parent.get()) {
        links.push_back(link);
    }
    std::vector<StepRecord> steps;
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
        steps.insert(steps.end(), (*link)->steps.begin(), (*link)->steps.end());
    }
    return steps;
}

Schedule to_schedule(const std::vector<StepRecord>& steps) {
    Schedule schedule;
    schedule.reserve(steps.size());
    for (const StepRecord& step : steps) {
        schedule.push_back({step.thread, step.variant});
    }
    return schedule;
}

unsigned count_preemptions(const std::vector<StepRecord>& steps) {
    return static_cast<unsigned>(
        std::count_if(steps.begin(), steps.end(), [](const StepRecord& step) { return step.preempting; }));
}

}  // namespace coopcheck
