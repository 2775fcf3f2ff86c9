#include "core/retrace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/access.hpp"
#include "core/error.hpp"

namespace coopcheck {

namespace {

bool is_legal(const Execution& execution, Choice choice) {
    const auto parked = execution.parked();
    const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& thread) {
        return thread.thread == choice.thread;
    });
    if (entry == parked.end()) {
        return false;
    }
    const SyncModel& model = execution.model();
    if (choice.variant == Variant::timeout() && model.can_time_out(choice.thread, entry->operation)) {
        return true;
    }
    const std::vector<Variant> variants = model.options(choice.thread, entry->operation);
    return std::find(variants.begin(), variants.end(), choice.variant) != variants.end();
}

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

}  // namespace

std::string TraceWriter::source(std::uint64_t site) const {
    return site == 0 || !words_.source ? "" : words_.source(site);
}

std::string TraceWriter::location(Location location) const {
    if (words_.location) {
        return words_.location(location);
    }
    return hexadecimal(location.value());
}

TraceOperation TraceWriter::operation(const Operation& operation) const {
    const Names& names = execution_.names();
    TraceOperation text{.kind = operation.kind, .timed = operation.timed};
    if (operation.object.valid()) {
        text.object = names.objects.name(operation.object);
        text.runtime = words_.is_runtime && words_.is_runtime(operation.object);
    }
    if (operation.mutex.valid()) {
        text.mutex = names.objects.name(operation.mutex);
    }
    if (operation.thread.valid()) {
        text.thread = names.threads.name(operation.thread);
    }
    if (is_access(operation)) {
        text.location = location(operation.location);
    }
    if (operation.kind == OpKind::ProcessExit) {
        text.exit_code = static_cast<int>(operation.value);
    }
    text.looks_again = operation.kind == OpKind::Yield && operation.value == 1;
    return text;
}

TraceVariant TraceWriter::variant(const ParkedThread& parked, Variant variant) const {
    TraceVariant text{.kind = variant.kind};
    if (variant.kind == Variant::Kind::Value) {
        text.value = variant.value;
    } else if (variant.kind == Variant::Kind::Wake) {
        text.threads = {name(variant.thread)};
    } else if (variant.kind == Variant::Kind::Subset) {
        // The number of a subset depends on the order of thread ids, which another search hands out in
        // another order; who is woken does not.
        SyncModel after = execution_.model();
        after.apply(parked.thread, parked.operation, variant);
        const std::vector<ThreadId>& left = after.object(parked.operation.object).waiters;
        for (const ThreadId waiter : execution_.model().object(parked.operation.object).waiters) {
            if (std::find(left.begin(), left.end(), waiter) == left.end()) {
                text.threads.push_back(name(waiter));
            }
        }
        std::sort(text.threads.begin(), text.threads.end());
    }
    return text;
}

TraceWait TraceWriter::wait(const Wait& wait) const {
    TraceWait text{.thread = name(wait.thread), .operation = operation(wait.operation)};
    for (const ThreadId blocker : wait.blockers) {
        text.blockers.push_back(name(blocker));
    }
    text.source = source(wait.operation.site);
    return text;
}

TraceAccess TraceWriter::access(const RaceSide& side) const {
    const Access& access = side.access;
    TraceAccess text{.thread = name(side.thread), .size = access.size, .freed = access.freed};
    text.operation.kind = !access.write ? OpKind::Read : access.also_read ? OpKind::ReadWrite : OpKind::Write;
    text.operation.location = location(access.location);
    // What was seen of the bytes was seen together with the calls.
    if (access.stack && !access.freed && access.size <= sizeof access.before) {
        text.before = hexadecimal(access.before);
        text.after = access.write ? hexadecimal(access.after) : "";
    }
    for (const ObjectId lock : side.locks) {
        text.locks.push_back(execution_.names().objects.name(lock));
    }
    // The innermost function there, also if it was inlined.
    const std::vector<TracePlace> calls =
        words_.calls_at && access.site != 0 ? words_.calls_at(access.site) : std::vector<TracePlace>{};
    text.source = calls.empty() ? source(access.site) : calls.front().source;
    return text;
}

TraceFinding TraceWriter::finding(const Finding& finding) const {
    TraceFinding text{.kind = finding.kind,
                      .misuse = finding.misuse,
                      .message = finding.message,
                      .is_cycle = finding.is_cycle,
                      .confirmed = finding.confirmed};
    if (finding.thread.valid()) {
        text.thread = name(finding.thread);
    }
    if (finding.kind != FindingKind::Deadlock) {
        text.operation = operation(finding.operation);
        text.source = source(finding.operation.site);
    }
    for (const Wait& entry : finding.waits) {
        text.waits.push_back(wait(entry));
    }
    if (finding.race) {
        const Race& race = *finding.race;
        text.race = TraceRace{.first = access(race.first), .second = access(race.second)};
        text.race->apart = !race.side_by_side;
        if (words_.allocation) {
            text.race->allocation =
                words_.allocation(std::max(race.first.access.location, race.second.access.location));
        }
    }
    return text;
}

std::size_t Occurrences::of(const std::string& thread, const TraceOperation& operation) const {
    const auto found = counts_.find(
        {thread, operation.kind, operation.object, operation.mutex, operation.thread, operation.location});
    return found == counts_.end() ? 0 : found->second;
}

void Occurrences::add(const std::string& thread, const TraceOperation& operation) {
    counts_[{thread, operation.kind, operation.object, operation.mutex, operation.thread,
             operation.location}] += 1;
}

std::size_t TraceTables::stack(ThreadId thread) {
    if (!words_.stack) {
        return 0;
    }
    return add_stack(words_.stack(thread));
}

std::size_t TraceTables::stack(const CallStack& frames) {
    std::vector<TracePlace> places;
    for (const std::uint64_t frame : frames) {
        if (!words_.calls_at) {
            break;
        }
        for (TracePlace& place : words_.calls_at(frame)) {
            places.push_back(std::move(place));
        }
    }
    return add_stack(std::move(places));
}

std::size_t TraceTables::add_stack(std::vector<TracePlace> places) {
    std::vector<std::string> sources;
    for (TracePlace& place : places) {
        sources.push_back(place.source);
        if (places_.insert(place.source).second) {
            trace_.places.push_back(std::move(place));
        }
    }
    if (sources.empty()) {
        return 0;
    }
    const auto [position, is_new] = stacks_.try_emplace(sources, trace_.stacks.size() + 1);
    if (is_new) {
        trace_.stacks.push_back(std::move(sources));
    }
    return position->second;
}

void TraceTables::name_objects(ThreadId thread, const Operation& operation) {
    for (const ObjectId object : {operation.object, operation.mutex}) {
        if (object.valid()) {
            name_object(object);
        }
    }
    if (is_access(operation)) {
        name_memory(thread, operation.location);
    }
}

void TraceTables::name_memory(ThreadId thread, Location location) {
    const bool is_memory = location.kind() == Location::Kind::Memory;
    if (!is_memory || !words_.memory_label || !words_.location || !asked_memory_.insert(location).second) {
        return;
    }
    add_label(words_.location(location), words_.memory_label(location, thread));
}

void TraceTables::name_object(ObjectId object) {
    if (!words_.label || !asked_.insert(object).second) {
        return;
    }
    add_label(execution_.names().objects.name(object), words_.label(object));
}

void TraceTables::add_label(const std::string& name, std::string label) {
    if (label.empty() || label == name) {
        return;
    }
    const std::string shared = label;
    for (unsigned nth = 2; !labels_.insert(label).second; ++nth) {  // several variables of one name
        label = shared + "#" + std::to_string(nth);
    }
    trace_.labels.emplace(name, std::move(label));
}

void RecordedSteps::note_blocked(ThreadId thread, TraceStep& step) {
    blocked_.erase(thread);  // it could go on, and did
    for (const ParkedThread& parked : execution_.parked()) {
        const bool can_go_on = execution_.model().enabled(parked.thread, parked.operation);
        if (can_go_on && blocked_.erase(parked.thread) > 0) {
            step.frees.push_back(writer_.name(parked.thread));
        } else if (!can_go_on && blocked_.insert(parked.thread).second) {
            step.blocks.push_back(writer_.name(parked.thread));
        }
    }
}

RecordedSteps::Made RecordedSteps::make(Choice choice) {
    const ParkedThread parked = execution_.parked_thread(choice.thread);
    TraceStep step;
    step.thread = writer_.name(choice.thread);
    step.switched = turns_.switch_to(execution_, choice.thread);
    step.variant = writer_.variant(parked, choice.variant);
    std::vector<ObjectId> held;
    if (tables_ != nullptr) {
        tables_->name_objects(choice.thread, parked.operation);
        step.stack = tables_->stack(choice.thread);
        held = execution_.model().held(choice.thread);
    }
    StepResult result = execution_.step(choice.thread, choice.variant);
    turns_.made_step(choice.thread, result.operation.kind);
    step.operation = writer_.operation(result.operation);
    step.source = writer_.source(result.operation.site);
    step.result = result.outcome.result;
    step.occurrence = occurrences_.of(step.thread, step.operation);
    occurrences_.add(step.thread, step.operation);
    if (tables_ != nullptr) {
        const std::vector<ObjectId>& holds = execution_.model().held(choice.thread);
        step.takes = names_of_difference(holds, held);
        step.gives = names_of_difference(held, holds);
        note_blocked(choice.thread, step);
    }
    return {std::move(step), std::move(result)};
}

std::vector<std::string> RecordedSteps::names_of_difference(const std::vector<ObjectId>& some,
                                                            const std::vector<ObjectId>& without) const {
    std::vector<std::string> names;
    for (const ObjectId object : some) {
        if (std::find(without.begin(), without.end(), object) == without.end()) {
            names.push_back(execution_.names().objects.name(object));
        }
    }
    return names;
}

namespace {

std::vector<TraceStep> run_again(Execution& execution, RecordedSteps& recorded, const Schedule& schedule) {
    std::vector<TraceStep> steps;
    for (const Choice& choice : schedule) {
        if (!is_legal(execution, choice)) {
            throw Error(
                "The program is not deterministic: it could not be taken to the finding a second time, "
                "step " +
                std::to_string(steps.size() + 1) +
                " is not possible any more; look for data races, uninitialized memory and inputs that "
                "change.");
        }
        steps.push_back(recorded.make(choice).step);
    }
    return steps;
}

/// Nothing if the program does not take the schedule a second time: the finding can do without.
std::optional<TraceDecision> decision_of(Execution& execution, const TraceWords& words, TraceTables& tables,
                                         const PassingSchedule& passing) {
    execution.restart();
    RecordedSteps recorded(execution, words, &tables);
    try {
        std::vector<TraceStep> steps = run_again(execution, recorded, passing.schedule);
        const auto same = static_cast<std::ptrdiff_t>(std::min(passing.step, steps.size()));
        steps.erase(steps.begin(), steps.begin() + same);
        return TraceDecision{passing.step, std::move(steps)};
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Names the memory of a race as long as it is there, and says where it was allocated.
std::optional<TraceAllocation> see_memory(const Race& race, const TraceWords& words, TraceTables& tables) {
    for (const RaceSide* side : {&race.first, &race.second}) {
        tables.name_memory(side->thread, side->access.location);
    }
    return words.allocation
               ? words.allocation(std::max(race.first.access.location, race.second.access.location))
               : std::nullopt;
}

/// What was seen of an access when its schedule was watched.
void describe_watched(const RaceSide& side, const TraceWords& words, TraceTables& tables, TraceAccess& text) {
    if (!side.access.stack || side.access.stack->empty()) {
        return;
    }
    text.stack = tables.stack(*side.access.stack);
    // A frame is one byte into the instruction; how free() begins tells nobody anything.
    if (words.instruction_at && !side.access.freed) {
        text.instruction = words.instruction_at(side.access.stack->front() - 1);
    }
}

void describe_parked(const Execution& execution, const RaceSide& side, const TraceWords& words,
                     TraceTables& tables, TraceAccess& text) {
    tables.name_objects(side.thread, execution.parked_thread(side.thread).operation);
    text.stack = tables.stack(side.thread);
    text.instruction = words.instruction ? words.instruction(side.thread) : "";
}

/// Makes an access that the thread is parked before.
void see_values(Execution& execution, const RaceSide& side, const TraceWords& words, TraceAccess& text) {
    const auto value = [&]() -> std::string {
        const Access& access = side.access;
        const auto bytes = words.value && access.size <= sizeof access.before
                               ? words.value(access.location, access.size)
                               : std::nullopt;
        return bytes ? hexadecimal(*bytes) : "";
    };
    text.before = value();
    if (side.access.write) {
        const bool is_over = execution.step(side.thread, Variant::normal()).end.has_value();
        text.after = is_over ? "" : value();
    }
}

void describe_race(Execution& execution, const Race& race, const TraceWords& words, TraceTables& tables,
                   TraceRace& text) {
    if (!race.side_by_side) {
        describe_watched(race.first, words, tables, text.first);
        describe_watched(race.second, words, tables, text.second);
        return;
    }
    describe_parked(execution, race.first, words, tables, text.first);
    describe_parked(execution, race.second, words, tables, text.second);
    const PlacePtr end = execution.here();
    see_values(execution, race.first, words, text.first);
    const auto parked = execution.parked();
    const bool is_there = std::any_of(parked.begin(), parked.end(), [&](const ParkedThread& thread) {
        return thread.thread == race.second.thread;
    });
    if (is_there) {
        see_values(execution, race.second, words, text.second);
    }
    execution.revisit(end);
}

}  // namespace

Trace retrace(Execution& execution, const Finding& finding, const TraceWords& words,
              const std::optional<PassingSchedule>& passing) {
    Trace trace;
    TraceTables tables(execution, words, trace);
    execution.set_visible(finding.visible);
    if (passing) {
        trace.decision = decision_of(execution, words, tables, *passing);
    }
    execution.restart();
    RecordedSteps recorded(execution, words, &tables);
    std::optional<TraceAllocation> allocation;
    if (finding.race && !finding.race->side_by_side && !finding.schedule.empty()) {
        // The last step has the second access in it, which may be the end of the memory it is about.
        const Schedule before(finding.schedule.begin(), finding.schedule.end() - 1);
        trace.steps = run_again(execution, recorded, before);
        allocation = see_memory(*finding.race, words, tables);
        trace.steps.push_back(run_again(execution, recorded, {finding.schedule.back()}).front());
    } else {
        trace.steps = run_again(execution, recorded, finding.schedule);
    }
    const ModelOptions options = execution.model().model_options();
    trace.options.explore_timeouts = options.explore_timeouts;
    trace.options.spurious_wakeups = options.spurious_wakeups;
    for (const Location location : finding.visible) {
        trace.options.visible.push_back(recorded.writer().location(location));
    }
    for (const Wait& wait : finding.waits) {
        tables.name_objects(wait.thread, wait.operation);
    }
    trace.finding = recorded.writer().finding(finding);
    for (std::size_t nth = 0; nth < finding.waits.size(); ++nth) {
        trace.finding.waits[nth].stack = tables.stack(finding.waits[nth].thread);
    }
    if (finding.race) {
        if (!trace.finding.race->allocation) {
            trace.finding.race->allocation = allocation;
        }
        describe_race(execution, *finding.race, words, tables, *trace.finding.race);
    }
    trace.preemptions = count_preemptions(trace.steps);
    return trace;
}

}  // namespace coopcheck
