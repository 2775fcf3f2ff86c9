#include "explorer/saved_branches.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"

namespace coopcheck {

namespace {

SavedBlock saved_block(std::optional<std::uint32_t> before, const Trail& trail) {
    SavedBlock block;
    block.before = before;
    block.thread = trail.thread;
    for (const StepRecord& step : trail.steps) {
        block.steps.push_back(
            {step.thread, step.variant, step.preempting, step.operation.kind, step.operation.object});
    }
    return block;
}

}  // namespace

SavedBranches::SavedBranches(const SearchState& state) : blocks_(state.blocks), users_(blocks_.size(), 0) {
    for (const Footprint& footprint : state.footprints) {
        footprints_.push_back(std::make_shared<Footprint>(footprint));
    }
    for (const std::vector<SavedBranch>* branches : {&state.stack, &state.deferred}) {
        for (const SavedBranch& branch : *branches) {
            if (branch.block) users_[*branch.block] += 1;
        }
    }
    for (std::size_t block = blocks_.size(); block-- > 0;) {
        if (users_[block] > 0 && blocks_[block].before) users_[*blocks_[block].before] += 1;
    }
}

Branch SavedBranches::unpack(const SavedBranch& saved) const {
    const auto footprint = [&](std::optional<std::uint32_t> index) {
        return index ? footprints_[*index] : nullptr;
    };
    Branch branch;
    Node& node = branch.node;
    node.saved = SavedPlace{saved.block, saved.nobody_spun, saved.at_limit};
    node.enabled = saved.enabled;
    for (const SavedDelayed& delayed : saved.delayed) {
        node.delayed.push_back({delayed.thread, footprints_[delayed.footprint]});
    }
    for (const SavedBlocked& blocked : saved.blocked) {
        node.blocked.push_back({blocked.thread, blocked.at_start, blocked.attempt});
    }
    node.last = saved.last;
    node.last_can_go_on = saved.last_can_go_on;
    node.is_begin = saved.is_begin;
    node.begun = saved.begun;
    node.preemptions = saved.preemptions;
    node.last_held_back = saved.last_held_back;
    node.forced_switches = saved.forced_switches;
    node.run = footprint(saved.run);
    branch.current = saved.current;
    branch.taken = saved.taken;
    branch.no_notify = saved.no_notify;
    branch.footprint = footprint(saved.footprint);
    branch.fire_timeout = saved.fire_timeout;
    branch.progressed = saved.progressed;
    return branch;
}

void SavedBranches::bring_back(Branch& branch, const PlacePtr& root, Execution& execution,
                               BlockRunner& runner, Fairness::Options fairness) {
    const SavedPlace saved = *std::exchange(branch.node.saved, std::nullopt);
    std::vector<std::uint32_t> to_run;
    std::optional<std::uint32_t> block = saved.block;
    while (block && !reached_.contains(*block)) {
        to_run.push_back(*block);
        block = blocks_[*block].before;
    }
    Reached at = block ? reached_.at(*block) : Reached{root, nullptr, std::make_shared<const Monitors>(), {}};
    execution.revisit(at.place);
    for (auto next = to_run.rbegin(); next != to_run.rend(); ++next) {
        const SavedBlock& wanted = blocks_[*next];
        BlockResult again = runner.run_again(wanted, *at.monitors);
        at.place = execution.here();
        at.trail = std::make_shared<const Trail>(at.trail, wanted.thread, std::move(again.steps));
        at.monitors = std::make_shared<const Monitors>(std::move(again.monitors));
        at.fairness.ran(wanted.thread, again.spin, execution, fairness);
        reached_.emplace(*next, at);
    }
    Node& node = branch.node;
    node.place = at.place;
    node.trail = at.trail;
    node.fairness = at.fairness;
    node.monitors = at.monitors;
    if (!saved.at_limit.empty()) {
        Monitors limited = *at.monitors;
        for (const ThreadId thread : saved.at_limit) limited.of(thread).at_limit = true;
        node.monitors = std::make_shared<const Monitors>(std::move(limited));
    }
    release(saved.block);
}

void SavedBranches::release(std::optional<std::uint32_t> block) {
    while (block) {
        COOPCHECK_CHECK(users_[*block] > 0, "a saved branch was brought back twice");
        users_[*block] -= 1;
        if (users_[*block] > 0) return;
        reached_.erase(*block);
        block = blocks_[*block].before;
    }
}

std::optional<std::uint32_t> BranchSaver::block(const TrailPtr& trail) {
    std::vector<const Trail*> unknown;
    const Trail* link = trail.get();
    for (; link != nullptr && !trails_.contains(link); link = link->parent.get()) unknown.push_back(link);
    std::optional<std::uint32_t> last;
    if (link != nullptr) last = trails_.at(link);
    for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) {
        const auto index = static_cast<std::uint32_t>(state_.blocks.size());
        state_.blocks.push_back(saved_block(last, **next));
        trails_.emplace(*next, index);
        last = index;
    }
    return last;
}

std::uint32_t BranchSaver::block_saved_before(std::uint32_t old) {
    std::vector<std::uint32_t> unknown;
    std::optional<std::uint32_t> link = old;
    for (; link && !old_blocks_.contains(*link); link = before_.blocks()[*link].before) {
        unknown.push_back(*link);
    }
    std::optional<std::uint32_t> last;
    if (link) last = old_blocks_.at(*link);
    for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) {
        const auto index = static_cast<std::uint32_t>(state_.blocks.size());
        state_.blocks.push_back(before_.blocks()[*next]);
        state_.blocks.back().before = last;
        old_blocks_.emplace(*next, index);
        last = index;
    }
    return *last;
}

std::optional<std::uint32_t> BranchSaver::footprint(const std::shared_ptr<Footprint>& shared) {
    if (!shared) return std::nullopt;
    const auto [position, is_new] =
        footprints_.try_emplace(shared.get(), static_cast<std::uint32_t>(state_.footprints.size()));
    if (is_new) state_.footprints.push_back(*shared);
    return position->second;
}

SavedBranch BranchSaver::save(const Branch& branch) {
    const Node& node = branch.node;
    SavedBranch saved;
    if (node.saved) {
        if (node.saved->block) saved.block = block_saved_before(*node.saved->block);
        saved.nobody_spun = node.saved->nobody_spun;
        saved.at_limit = node.saved->at_limit;
    } else {
        saved.block = block(node.trail);
        saved.nobody_spun = node.fairness.is_idle();
        for (std::size_t index = 0; index < node.monitors->threads.size(); ++index) {
            if (node.monitors->threads[index].at_limit) {
                saved.at_limit.emplace_back(static_cast<std::uint32_t>(index));
            }
        }
    }
    saved.enabled = node.enabled;
    for (const Delayed& delayed : node.delayed) {
        saved.delayed.push_back({delayed.thread, *footprint(delayed.footprint)});
    }
    for (const Blocked& blocked : node.blocked) {
        saved.blocked.push_back({blocked.thread, blocked.at_start, blocked.attempt});
    }
    saved.last = node.last;
    saved.last_can_go_on = node.last_can_go_on;
    saved.is_begin = node.is_begin;
    saved.begun = node.begun;
    saved.preemptions = node.preemptions;
    saved.last_held_back = node.last_held_back;
    saved.forced_switches = node.forced_switches;
    saved.run = footprint(node.run);
    saved.current = branch.current;
    saved.taken = branch.taken;
    saved.no_notify = branch.no_notify;
    saved.footprint = footprint(branch.footprint);
    saved.fire_timeout = branch.fire_timeout;
    saved.progressed = branch.progressed;
    return saved;
}

}  // namespace coopcheck
