#include "tracer/watch_knowledge.hpp"

#include <algorithm>

namespace coopcheck::tracer {

namespace {

constexpr std::uint64_t word = 8;

}  // namespace

void WatchKnowledge::note_accessor(std::uint64_t instruction, std::uint64_t address, std::uint64_t size) {
    constexpr std::uint64_t widest = 4096;
    if (size > widest) {
        wide_accessors_.insert(instruction);
        return;
    }
    for (std::uint64_t at = address / word; size > 0 && at <= (address + size - 1) / word; ++at) {
        std::vector<std::uint64_t>& all = accessors_[at];
        if (std::find(all.begin(), all.end(), instruction) == all.end()) all.push_back(instruction);
    }
}

void WatchKnowledge::renew_points() {
    missed_point = false;
    left_step = false;  // its schedule is run again
    points.clear();
    if (!by_points || visible.empty()) return;
    points = wide_accessors_;
    points.insert(told_.begin(), told_.end());
    for (const std::uint64_t byte : visible) {
        const auto known = accessors_.find(byte / word);
        if (known != accessors_.end()) points.insert(known->second.begin(), known->second.end());
    }
    for (const std::uint64_t place : out_of_reach) points.erase(place);
}

std::shared_ptr<const WatchPlan> WatchKnowledge::plan(Watching watching) const {
    auto plan = std::make_shared<WatchPlan>();
    plan->everything = watching != Watching::Off;
    plan->first_touch = watching == Watching::FirstTouch && by_points;
    plan->visible = visible;
    plan->shared_pages = shared_pages;
    plan->unshared_too = unshared_too;
    plan->atomic_bytes = std::make_shared<const std::unordered_set<std::uint64_t>>(atomic_bytes);
    plan->by_points = by_points;
    plan->points = points;
    return plan;
}

}  // namespace coopcheck::tracer
