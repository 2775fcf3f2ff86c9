#include "explorer/block_runner.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/error.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

std::optional<Variant> BlockRunner::choose(ThreadId thread, const Operation& operation,
                                           const std::vector<Variant>& taken, std::set<Variant>& no_notify,
                                           BlockResult& block) {
    execution_.model().options(thread, operation, variants_);
    if (variants_.empty()) {
        return std::nullopt;
    }
    if (variants_.size() == 1) {
        return variants_.front();
    }
    if (block.choices.size() < taken.size()) {
        const Variant again = taken[block.choices.size()];
        block.choices.push_back({again, {}, false});
        return again;
    }
    ChoicePoint point;
    point.explored = no_notify;
    const auto is_explored = [&](Variant variant) { return point.explored.contains(variant); };
    const auto next = std::find_if_not(variants_.begin(), variants_.end(), is_explored);
    COOPCHECK_CHECK(next != variants_.end() || fault(Fault::KeepNoNotify),
                    "a choice with nothing left to choose");
    point.taken = next == variants_.end() ? variants_.front() : *next;
    point.explored.insert(point.taken);
    point.more_left =
        !std::all_of(variants_.begin(), variants_.end(), is_explored) && !fault(Fault::DropChoices);
    if (!fault(Fault::KeepNoNotify)) {
        no_notify.clear();
    }
    block.choices.push_back(point);
    return point.taken;
}

void BlockRunner::account(ThreadId thread, const StepResult& step, BlockResult& block) {
    const SyncModel& model = execution_.model();
    block.monitors.step(thread, step, model);
    if (options_.footprints != FootprintSource::Locks && execution_.watched_too_late()) {
        throw Refined();  // accesses are missing in the footprints so far
    }
    for (const Access& access : step.accesses) {
        if (access.fresh) {
            continue;
        }
        if (options_.footprints != FootprintSource::Locks) {
            for (std::uint32_t byte = 0; byte < access.size; ++byte) {
                const Location location = Location::memory(access.location.value() + byte);
                block.footprint.add(location, access.write);
                block.touched.add(location, access.write);
            }
            block.matters = true;
        }
        if (execution_.can_watch()) {
            continue;  // races are looked for by a RaceWatch, from the start of a run and byte by byte
        }
        if (access.atomic) {
            observer_.atomic_access(access);
            continue;
        }
        const bool undisciplined = block.monitors.lockset.access(thread, access, model);
        const bool racing = block.monitors.happens_before.access(thread, access).has_value();
        if (undisciplined || racing) {
            observer_.race(thread, access, block.steps);
        }
    }
    if (step.end) {
        block.end = step.end;
    }
    block.thread_ended = step.thread_ended;
}

void BlockRunner::make_step(ThreadId thread, const Operation& operation, Variant variant,
                            BlockResult& block) {
    const SyncModel& model = execution_.model();
    model.footprint(thread, operation, variant, rules_.counts_locks(operation, model), block.footprint);
    model.footprint(thread, operation, variant, true, block.touched);
    block.matters = block.matters || !rules_.is_private(thread, operation, model);
    const StepResult step = execution_.step(thread, variant);
    block.steps.push_back({thread, step.operation, variant, false});
    account(thread, step, block);
    block.released_inside = block.released_inside || step.outcome.released;
    block.spin = spin_of(step);
    if (block.end && block.end->kind != RunEnd::Kind::AllThreadsEnded) {
        // Cuts off the others, wherever they are.
        block.footprint.add(Location::world(), true);
        block.touched.add(Location::world(), true);
        block.matters = true;
    }
    if (block.end) {
        block.kind = BlockResult::Kind::RunEnded;
    } else if (block.thread_ended || rules_.ends_after(thread, step, execution_.model())) {
        block.kind = BlockResult::Kind::Ended;
    } else {
        block.kind = BlockResult::Kind::Blocked;  // until the next step has been looked at
    }
}

void BlockRunner::count_locks_across(ThreadId thread, BlockResult& block) const {
    for (const Footprint::Entry& entry : block.touched.entries()) {
        if (entry.location.kind() == Location::Kind::Object) {
            block.footprint.add(entry.location, false);
        }
    }
    if (!block.thread_ended && !block.end) {
        for (const ObjectId held : execution_.model().held(thread)) {
            block.footprint.add(Location::object(held), true);
        }
    }
}

BlockResult BlockRunner::run(ThreadId thread, const Monitors& monitors, const std::vector<Variant>& taken,
                             const std::set<Variant>& no_notify, bool fire_timeout) {
    BlockResult block = run_steps(thread, monitors, taken, no_notify, fire_timeout);
    if (options_.footprints == FootprintSource::Data) {
        count_locks_across(thread, block);
    }
    return block;
}

BlockResult BlockRunner::run_again(const SavedBlock& block, const Monitors& monitors) {
    BlockResult again;
    again.monitors = monitors;
    for (const SavedStep& step : block.steps) {
        const auto parked = execution_.parked();
        const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
            return candidate.thread == step.thread;
        });
        const bool same = entry != parked.end() && entry->operation.kind == step.kind &&
                          entry->operation.object == step.object;
        const std::vector<Variant> possible =
            same ? execution_.model().options(step.thread, entry->operation) : std::vector<Variant>{};
        const bool legal = std::find(possible.begin(), possible.end(), step.variant) != possible.end() ||
                           (same && step.variant == Variant::timeout() &&
                            execution_.model().can_time_out(step.thread, entry->operation));
        if (!legal) {
            throw Error("The program does not do what it did when the search was saved: " +
                        execution_.names().threads.name(step.thread) + " should come to " +
                        std::string(name(step.kind)) +
                        " and does not. Its input or its surroundings have changed; remove the file of the "
                        "saved search to begin anew.");
        }
        make_step(step.thread, entry->operation, step.variant, again);
        again.steps.back().preempting = step.preempting;
    }
    return again;
}

BlockResult BlockRunner::run_steps(ThreadId thread, const Monitors& monitors,
                                   const std::vector<Variant>& taken, std::set<Variant> no_notify,
                                   bool fire_timeout) {
    BlockResult block;
    block.monitors = monitors;
    for (;;) {
        const Operation operation = execution_.parked_thread(thread).operation;
        rules_.observe(thread, operation, block.monitors, execution_.model());
        const bool begun = !block.steps.empty();
        if (begun && rules_.ends_before(thread, operation, block.monitors, execution_.model())) {
            block.kind = BlockResult::Kind::Ended;
            return block;
        }
        if (block.monitors.of(thread).steps >= options_.thread_step_limit) {
            block.monitors.of(thread).at_limit = true;
            block.at_limit = true;
            block.kind = BlockResult::Kind::Ended;
            return block;
        }
        const std::optional<Variant> variant = fire_timeout && !begun
                                                   ? std::optional{Variant::timeout()}
                                                   : choose(thread, operation, taken, no_notify, block);
        if (!variant && block.released_inside) {
            // Others may depend on what was given back inside trusted code, or through a lock of its own:
            // this is as far as the block goes.
            block.kind = BlockResult::Kind::Ended;
            return block;
        }
        if (!variant) {
            block.kind = BlockResult::Kind::Blocked;
            block.failed = operation;
            execution_.model().footprint(thread, operation, Variant::normal(), true, block.touched);
            return block;
        }
        make_step(thread, operation, *variant, block);
        if (block.kind != BlockResult::Kind::Blocked) {
            return block;
        }
    }
}

}  // namespace coopcheck
