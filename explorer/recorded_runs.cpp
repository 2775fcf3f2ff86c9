#include "explorer/recorded_runs.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

/// It is as if nobody had used it yet.
bool is_new(const ObjectState& state) {
    return !state.owner.valid() && !state.destroyed && state.waiters.empty() && state.readers.empty() &&
           state.condition_waits == 0;
}

}  // namespace

std::optional<SideEffects> side_effects(SyncModel before, const SyncModel& after, ThreadId thread,
                                        const Operation& operation, Variant variant) {
    SideEffects effects;
    const std::size_t known = before.objects().size();
    std::vector<char> was_known(known, 0);
    for (std::size_t index = 0; index < known; ++index) {
        was_known[index] = before.objects()[index].object_class != ObjectClass::None ? 1 : 0;
    }
    before.apply(thread, operation, variant);
    const auto expected = before.objects();
    const auto objects = after.objects();
    for (std::size_t index = 0; index < objects.size(); ++index) {
        if (index < expected.size() && expected[index] == objects[index]) {
            continue;
        }
        const ObjectState& state = objects[index];
        if (state.object_class == ObjectClass::None && index >= expected.size()) {
            continue;
        }
        if (!is_new(state)) {
            return std::nullopt;
        }
        const ObjectId object{static_cast<std::uint32_t>(index)};
        (index < known && was_known[index] != 0 ? effects.renewed : effects.born).emplace_back(object, state);
    }
    if (before.threads().size() != after.threads().size() ||
        before.spurious_left() != after.spurious_left()) {
        return std::nullopt;
    }
    if (before.thread(thread).cancel_enabled != after.thread(thread).cancel_enabled) {
        effects.cancel_enabled = after.thread(thread).cancel_enabled;
        before.set_cancel_enabled(thread, *effects.cancel_enabled);
    }
    if (!std::equal(before.threads().begin(), before.threads().end(), after.threads().begin())) {
        return std::nullopt;
    }
    return effects;
}

std::uint32_t RecordedRuns::add(std::span<const Made> steps, std::span<const PendingOperation> pending) {
    const auto number_of_run = static_cast<std::uint32_t>(runs_.size());
    Run run;
    const auto thread_of = [&](ThreadId thread) -> Thread& {
        if (run.threads.size() <= thread.index()) {
            run.threads.resize(thread.index() + 1);
        }
        return run.threads[thread.index()];
    };
    numbers_.clear();
    beginnings_.assign(1, 0);
    turns_.clear();
    for (const Made& made : steps) {
        const Event& event = *made.event;
        Thread& thread = thread_of(event.thread);
        const std::uint64_t number = numbers_.add(event);
        const auto [entry, is_first] = all_.try_emplace(number);
        RecordedStep& step = entry->second;
        if (is_first) {
            step = {.thread = event.thread,
                    .operation = event.operation,
                    .variant = event.variant,
                    .after = numbers_.after(),
                    .number = number,
                    .ends_run = made.ends_run,
                    .effects = made.effects,
                    .runs = {}};
        } else {
            // Who comes first to an object makes it known.
            for (const auto& born : made.effects.born) {
                const auto same = [&](const auto& known) { return known.first == born.first; };
                if (std::none_of(step.effects.born.begin(), step.effects.born.end(), same)) {
                    step.effects.born.push_back(born);
                }
            }
        }
        step.runs.push_back(number_of_run);
        thread.steps.push_back(&step);
        thread.sums.push_back(thread.sums.back() + number);
        beginnings_.push_back(beginnings_.back() + number);
        turns_.push_back(event.thread);
    }
    for (const PendingOperation& parked : pending) {
        thread_of(parked.thread).parked_at = parked.operation;
    }
    steps_ += steps.size();
    runs_.push_back(std::move(run));
    return number_of_run;
}

const RecordedStep* RecordedRuns::step(std::uint32_t run, std::size_t thread, std::uint32_t nth) const {
    const std::vector<Thread>& threads = runs_[run].threads;
    return thread < threads.size() && nth < threads[thread].steps.size() ? threads[thread].steps[nth]
                                                                         : nullptr;
}

const Operation* RecordedRuns::operation(std::uint32_t run, std::size_t thread, std::uint32_t nth) const {
    if (const RecordedStep* made = step(run, thread, nth)) {
        return &made->operation;
    }
    const std::vector<Thread>& threads = runs_[run].threads;
    return thread < threads.size() && nth == threads[thread].steps.size() && threads[thread].parked_at
               ? &*threads[thread].parked_at
               : nullptr;
}

const RecordedStep* RecordedRuns::follows_in(std::uint32_t run, const EventCounts& made,
                                             Choice choice) const {
    const std::size_t thread = choice.thread.index();
    const RecordedStep* next = step(run, thread, count_of(made, thread));
    if (next == nullptr || next->variant != choice.variant) {
        return nullptr;
    }
    for (std::size_t other = 0; other < next->after.size(); ++other) {
        if (other != thread && next->after[other] > count_of(made, other)) {
            return nullptr;
        }
    }
    return next;
}

bool RecordedRuns::contains(std::uint32_t run, const EventCounts& made, std::uint64_t number) const {
    const std::vector<Thread>& threads = runs_[run].threads;
    std::uint64_t sum = 0;
    for (std::size_t thread = 0; thread < made.size(); ++thread) {
        if (made[thread] == 0) {
            continue;
        }
        if (thread >= threads.size() || made[thread] > threads[thread].steps.size()) {
            return false;
        }
        sum += threads[thread].sums[made[thread]];
    }
    return sum == number;
}

std::optional<RecordedRuns::Following> RecordedRuns::following(std::uint32_t run, const EventCounts& made,
                                                               std::uint64_t number, Choice choice) const {
    if (const RecordedStep* next = follows_in(run, made, choice)) {
        return Following{next, run};
    }
    // Of the last steps of the threads, the one that is in the fewest runs.
    const std::vector<std::uint32_t>* fewest = nullptr;
    for (std::size_t thread = 0; thread < made.size(); ++thread) {
        if (made[thread] > 0) {
            const std::vector<std::uint32_t>& runs = step(run, thread, made[thread] - 1)->runs;
            fewest = fewest == nullptr || runs.size() < fewest->size() ? &runs : fewest;
        }
    }
    const std::size_t candidates = fewest == nullptr ? runs_.size() : fewest->size();
    for (std::size_t nth = 0; nth < candidates; ++nth) {
        const std::uint32_t other = fewest == nullptr ? static_cast<std::uint32_t>(nth) : (*fewest)[nth];
        const RecordedStep* next = follows_in(other, made, choice);
        if (next != nullptr && contains(other, made, number)) {
            return Following{next, other};
        }
    }
    return std::nullopt;
}

}  // namespace coopcheck
