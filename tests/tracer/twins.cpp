#include "tests/tracer/twins.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::tracer::test {

using namespace coopcheck::testing;

namespace {

/// An execution without what only one of the twins has.
class WithoutData : public Execution {
  public:
    explicit WithoutData(Execution& inner) : inner_(inner) {}

    void restart() override { inner_.restart(); }
    [[nodiscard]] std::span<const ParkedThread> parked() const override {
        parked_.assign(inner_.parked().begin(), inner_.parked().end());
        for (ParkedThread& thread : parked_) thread.operation.site = 0;
        return parked_;
    }
    [[nodiscard]] const SyncModel& model() const override { return inner_.model(); }
    StepResult step(ThreadId thread, Variant variant) override {
        StepResult result = inner_.step(thread, variant);
        result.accesses.clear();
        result.operation.site = 0;
        return result;
    }
    [[nodiscard]] PlacePtr here() override { return inner_.here(); }
    void revisit(const PlacePtr& place) override { inner_.revisit(place); }
    void set_visible(std::span<const Location> locations) override { inner_.set_visible(locations); }
    [[nodiscard]] const Names& names() const override { return inner_.names(); }
    void know(const Knowledge& knowledge) override { inner_.know(knowledge); }

  private:
    Execution& inner_;
    mutable std::vector<ParkedThread> parked_;
};

std::string object_text(ObjectId object, const Names& names) {
    std::string name = names.objects.name(object);
    // A futex is called "futex x0" on fibers and "x0 (futex)" by the tracer.
    if (name.starts_with("futex ")) name = name.substr(6) + " (futex)";
    return name;
}

std::string operation_text(const Operation& operation, const Names& names) {
    std::string text = (operation.timed ? "timed " : "") + std::string(name(operation.kind));
    if (operation.object.valid()) text += " " + object_text(operation.object, names);
    if (operation.mutex.valid()) text += " " + object_text(operation.mutex, names);
    if (operation.thread.valid()) text += " " + names.threads.name(operation.thread);
    return operation.value == 0 ? text : text + " " + std::to_string(operation.value);
}

std::string variant_text(const Variant& variant, const Names& names) {
    switch (variant.kind) {
        case Variant::Kind::Normal:
            return "";
        case Variant::Kind::Wake:
            return variant.thread.valid() ? " wakes " + names.threads.name(variant.thread) : " wakes nobody";
        case Variant::Kind::Subset:
            return " wakes subset " + std::to_string(variant.value);
        case Variant::Kind::Timeout:
            return " times out";
        case Variant::Kind::Spurious:
            return " spuriously";
        case Variant::Kind::Value:
            return " chooses " + std::to_string(variant.value);
        case Variant::Kind::Cancel:
            return " is cancelled";
    }
    return " ?";
}

std::string end_text(const PathReport& report) {
    static constexpr std::array ends{"complete",  "deadlocked", "livelocked",
                                     "redundant", "truncated",  "abandoned"};
    std::string text = ends.at(static_cast<std::size_t>(report.end));
    if (report.run_end != nullptr) {
        text += " " + std::to_string(static_cast<int>(report.run_end->kind)) + " code " +
                std::to_string(report.run_end->code) + " " + report.run_end->message;
        if (report.run_end->misuse)
            text += " misuse " + std::to_string(static_cast<int>(*report.run_end->misuse));
    }
    return text;
}

class PathWords : public SearchListener {
  public:
    explicit PathWords(std::vector<std::string>& paths) : paths_(paths) {}

    void path(const PathReport& report) override {
        const Names& names = report.execution.names();
        std::string text = end_text(report);
        for (const StepRecord& step : report.steps) {
            text += "\n  " + names.threads.name(step.thread) + " " + operation_text(step.operation, names) +
                    variant_text(step.variant, names);
        }
        paths_.push_back(std::move(text));
    }

  private:
    std::vector<std::string>& paths_;
};

std::string finding_text(const Finding& finding, const Names& names) {
    std::string text = std::string(describe(finding.kind)) + (finding.confirmed ? "" : " predicted") +
                       " at " + std::to_string(finding.preemptions) + ": ";
    if (finding.thread.valid()) text += names.threads.name(finding.thread) + " ";
    if (finding.misuse) text += "misuse " + std::to_string(static_cast<int>(*finding.misuse)) + " ";
    text += operation_text(finding.operation, names) + " " + finding.message;
    std::set<std::string> waits;
    for (const Wait& wait : finding.waits)
        waits.insert(names.threads.name(wait.thread) + " " + operation_text(wait.operation, names));
    for (const std::string& wait : waits) text += ", " + wait;
    return text;
}

std::string only_in(const std::set<std::string>& left, const std::set<std::string>& right,
                    const std::string& where) {
    std::vector<std::string> rest;
    std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(rest));
    return rest.empty()
               ? ""
               : std::to_string(rest.size()) + " only " + where + ", the first: " + rest.front() + "\n";
}

}  // namespace

std::string difference(const SeenSchedules& left, const std::string& left_name, const SeenSchedules& right,
                       const std::string& right_name) {
    if (left == right) return "";
    const auto as_set = [](const std::vector<std::string>& paths) {
        return std::set<std::string>(paths.begin(), paths.end());
    };
    std::string text = only_in(left.findings, right.findings, left_name) +
                       only_in(right.findings, left.findings, right_name) +
                       only_in(as_set(left.paths), as_set(right.paths), left_name) +
                       only_in(as_set(right.paths), as_set(left.paths), right_name);
    return text.empty() ? "the same, but in another order, or cut in only one of them\n" : text;
}

SeenSchedules see_schedules_without_data(Execution& execution, const SearchOptions& options) {
    WithoutData view(execution);
    return see_schedules(view, options);
}

SeenSchedules see_schedules(Execution& execution, const SearchOptions& options) {
    SeenSchedules seen;
    PathWords listener(seen.paths);
    const SearchResult result = explore(execution, options, &listener);
    seen.cut = !result.exhausted;
    for (const auto* findings : {&result.findings, &result.predicted, &result.races}) {
        for (const Finding& finding : *findings) {
            seen.findings.insert(finding_text(finding, execution.names()));
            seen.unlocks_free_spin = seen.unlocks_free_spin || (finding.kind == FindingKind::Misuse &&
                                                                finding.operation.kind == OpKind::SpinUnlock);
        }
    }
    return seen;
}

std::vector<Shape> twin_shapes() {
    std::vector<Shape> shapes;
    for (Shape shape : families()) {
        if (shape.name == "trusted") continue;  // the tracer does not know who is trusted
        shape.habits.trusted = 0;
        shape.max_threads = std::min(shape.max_threads, 3);
        shape.total_operations = 12;
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

std::vector<TwinSearch> twin_searches() {
    SearchOptions blocks;
    blocks.spin_limit = 30;
    blocks.budget.schedules = 400;
    SearchOptions bounded = blocks;
    bounded.bound = 2;
    bounded.granularity = Granularity::Operations;
    return {{"ExitBlock", blocks}, {"two preemptions", bounded}};
}

std::vector<ModelOptions> twin_models(const Shape& shape) {
    const Habits& habits = shape.habits;
    if (habits.timedlock + habits.timedwait + habits.timed_rwlock + habits.semaphore_timed > 0) {
        return {{.explore_timeouts = true, .spurious_wakeups = 0}, {}};
    }
    if (shape.conditions > 0) return {{}, {.explore_timeouts = false, .spurious_wakeups = 1}};
    return {{}};
}

void TwinComparison::add(const TwinComparison& other) {
    searches += other.searches;
    cut += other.cut;
    ambiguous += other.ambiguous;
    paths += other.paths;
    findings += other.findings;
    if (difference.empty()) difference = other.difference;
}

TwinComparison compare_twins(const Program& program, const Shape& shape, const std::string& interpreter) {
    TwinComparison total;
    for (const ModelOptions& model : twin_models(shape)) {
        for (const TwinSearch& search : twin_searches()) {
            FiberExecution fibers(to_fibers(program), model);
            TracedExecution traced({.program = interpreter, .arguments = {to_text(program)}, .input = ""},
                                   {.model = model});
            const SeenSchedules on_fibers = see_schedules_without_data(fibers, search.options);
            total.searches += 1;
            if (on_fibers.unlocks_free_spin) {
                total.ambiguous += 1;
                continue;
            }
            const SeenSchedules in_process = see_schedules_without_data(traced, search.options);
            total.cut += on_fibers.cut ? 1 : 0;
            total.paths += on_fibers.paths.size();
            total.findings += on_fibers.findings.size();
            const std::string differs = difference(on_fibers, "on fibers", in_process, "traced");
            if (differs.empty()) continue;
            total.difference = shape.name + ", " + search.name +
                               (model.explore_timeouts ? ", timeouts explored" : "") +
                               (model.spurious_wakeups > 0 ? ", spurious wake-ups" : "") + "\n" + differs +
                               to_code(program) + to_text(program) + "\n";
            return total;
        }
    }
    return total;
}

}  // namespace coopcheck::tracer::test
