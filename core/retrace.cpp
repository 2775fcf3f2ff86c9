#include "core/retrace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

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

}  // namespace

std::string TraceWriter::source(std::uint64_t site) const {
    return site == 0 || !words_.source ? "" : words_.source(site);
}

std::string TraceWriter::location(Location location) const {
    if (words_.location) {
        return words_.location(location);
    }
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(location.value()));
    return text.data();
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
    if (operation.kind == OpKind::Read || operation.kind == OpKind::Write ||
        operation.kind == OpKind::ReadWrite) {
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
    std::vector<std::string> sources;
    for (TracePlace& place : words_.stack(thread)) {
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

void TraceTables::name_objects(const Operation& operation) {
    for (const ObjectId object : {operation.object, operation.mutex}) {
        if (object.valid()) {
            name_object(object);
        }
    }
}

void TraceTables::name_object(ObjectId object) {
    if (!words_.label || !asked_.insert(object).second) {
        return;
    }
    std::string label = words_.label(object);
    const std::string& name = execution_.names().objects.name(object);
    if (label.empty() || label == name) {
        return;
    }
    if (!labels_.insert(label).second) {  // two variables of one name
        label += " (" + name + ")";
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
        tables_->name_objects(parked.operation);
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
    trace.steps = run_again(execution, recorded, finding.schedule);
    const ModelOptions options = execution.model().model_options();
    trace.options.explore_timeouts = options.explore_timeouts;
    trace.options.spurious_wakeups = options.spurious_wakeups;
    for (const Location location : finding.visible) {
        trace.options.visible.push_back(recorded.writer().location(location));
    }
    for (const Wait& wait : finding.waits) {
        tables.name_objects(wait.operation);
    }
    trace.finding = recorded.writer().finding(finding);
    for (std::size_t nth = 0; nth < finding.waits.size(); ++nth) {
        trace.finding.waits[nth].stack = tables.stack(finding.waits[nth].thread);
    }
    trace.preemptions = count_preemptions(trace.steps);
    return trace;
}

}  // namespace coopcheck
