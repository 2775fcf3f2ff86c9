#include "tests/explorer/classes.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "explorer/explore.hpp"
#include "tests/support/shrink.hpp"

namespace coopcheck::testing {

void RunClass::step(ThreadId thread, const Operation& operation, Variant variant, const Label& label) {
    Made made{thread, label, {}, 1};
    for (const Made& other : made_) {
        made.position += other.thread == thread ? 1 : 0;
    }
    made.name = std::to_string(thread.index()) + "." + std::to_string(made.position) + ":" +
                std::to_string(static_cast<int>(operation.kind)) + "/" +
                std::to_string(operation.object.index()) + "/" +
                std::to_string(static_cast<int>(variant.kind)) + "/" +
                std::to_string(variant.thread.index()) + "/" + std::to_string(variant.value);
    ordered_.insert(made.name);
    for (const Made& other : made_) {
        if (other.thread != thread && other.label.depends_on(label)) {
            ordered_.insert(std::to_string(other.thread.index()) + "." + std::to_string(other.position) +
                            "<" + std::to_string(thread.index()) + "." + std::to_string(made.position));
        }
    }
    made_.push_back(std::move(made));
}

std::string RunClass::text() const {
    std::string text;
    for (const std::string& part : ordered_) {
        text += part + " ";
    }
    return text;
}

namespace {

StepResult make_step(FiberExecution& execution, Choice choice, RunClass& run) {
    const Operation operation = execution.parked_thread(choice.thread).operation;
    Label label = label_of(execution.model(), choice.thread, operation, choice.variant);
    StepResult result = execution.step(choice.thread, choice.variant);
    if (ends_others(result)) {
        label.add_world();
    }
    run.step(choice.thread, operation, choice.variant, label);
    return result;
}

class Enumeration {
  public:
    Enumeration(FiberExecution& execution, std::size_t most) : execution_(execution), most_(most) {}

    Classes run() {
        execution_.restart();
        explore({});
        return std::move(classes_);
    }

  private:
    struct State {
        std::size_t hash = 0;
        std::vector<Operation> operations;
        friend bool operator==(const State&, const State&) = default;
    };

    void explore(const RunClass& before) {
        const PlacePtr place = execution_.here();
        std::vector<Choice> choices;
        for (const ParkedThread& parked : execution_.parked()) {
            for (const Variant variant : execution_.model().options(parked.thread, parked.operation)) {
                choices.push_back({parked.thread, variant});
            }
        }
        if (choices.empty()) {
            for (const ParkedThread& parked : execution_.parked()) {
                if (execution_.model().can_time_out(parked.thread, parked.operation)) {
                    choices.push_back({parked.thread, Variant::timeout()});
                }
            }
        }
        if (choices.empty()) {
            classes_.deadlocked.insert(before.text());
        }
        for (const Choice choice : choices) {
            if (!classes_.all) {
                return;
            }
            execution_.revisit(place);
            RunClass run = before;
            const StepResult result = make_step(execution_, choice, run);
            if (result.end) {
                classes_.complete.insert(run.text());
            } else if (is_new(run)) {
                explore(run);
            }
        }
    }

    bool is_new(const RunClass& run) {
        State state{execution_.model().hash(), {}};
        for (const ParkedThread& parked : execution_.parked()) {
            state.operations.push_back(parked.operation);
            state.operations.back().site = 0;
        }
        const auto [known, is_new] = seen_.try_emplace(run.text(), state);
        if (!is_new && !(known->second == state)) {
            classes_.problem = "equivalent runs lead to different states: " + run.text();
        }
        classes_.all = classes_.all && seen_.size() < most_;
        return is_new;
    }

    FiberExecution& execution_;
    std::size_t most_;
    Classes classes_;
    std::unordered_map<std::string, State> seen_;
};

class Schedules : public SearchListener {
  public:
    void path(const PathReport& report) override {
        if (report.end == PathEnd::Complete) {
            complete.push_back(to_schedule(report.steps));
        } else if (report.end == PathEnd::Deadlocked) {
            deadlocked.push_back(to_schedule(report.steps));
        }
    }
    void start_over() override {
        complete.clear();
        deadlocked.clear();
    }
    std::vector<Schedule> complete;
    std::vector<Schedule> deadlocked;
};

/// The classes that were missed or run twice.
std::string difference(FiberExecution& execution, const std::string& what,
                       const std::set<std::string>& expected, const std::vector<Schedule>& run, bool once) {
    std::set<std::string> seen;
    std::string text;
    for (const Schedule& schedule : run) {
        const std::string name = class_of(execution, schedule);
        if (!expected.contains(name)) {
            text += "a " + what + " run of no class: " + name + "\n";
        }
        if (!seen.insert(name).second && once) {
            text += "a " + what + " class was run twice: " + name + "\n";
        }
    }
    for (const std::string& name : expected) {
        if (!seen.contains(name)) {
            text += "a " + what + " class was missed: " + name + "\n";
        }
    }
    return text;
}

}  // namespace

Classes enumerate_classes(FiberExecution& execution, std::size_t most_prefixes) {
    return Enumeration(execution, most_prefixes).run();
}

std::string class_of(FiberExecution& execution, const Schedule& schedule) {
    execution.restart();
    RunClass run;
    for (const Choice choice : schedule) {
        make_step(execution, choice, run);
    }
    return run.text();
}

ClassComparison compare_classes(const Program& program, const ModelOptions& model, bool optimal,
                                std::size_t most_prefixes) {
    return compare_classes(to_fibers(program), model, optimal, most_prefixes);
}

ClassComparison compare_classes(const FiberProgram& program, const ModelOptions& model, bool optimal,
                                std::size_t most_prefixes) {
    FiberExecution execution(program, model);
    execution.restart();
    SearchOptions options;
    options.visible = execution.variables();
    execution.set_visible(options.visible);
    ClassComparison comparison;
    const Classes expected = enumerate_classes(execution, most_prefixes);
    if (!expected.all) {
        comparison.too_large = true;
        return comparison;
    }
    comparison.mismatch = expected.problem;
    options.reduction = optimal ? Reduction::Optimal : Reduction::Source;
    options.output_matters = true;
    options.spin_patience = 1'000;  // fairness is no property of classes
    options.budget.schedules = 20 * (expected.complete.size() + expected.deadlocked.size()) + 100;
    Schedules schedules;
    const SearchResult result = explore(execution, options, &schedules);
    comparison.classes = expected.complete.size() + expected.deadlocked.size();
    comparison.schedules = result.counts.paths();
    comparison.redundant = result.counts.redundant;
    if (!result.exhausted) {
        comparison.mismatch += "the search does not end\n";
        return comparison;
    }
    if (result.refinements != 0) {
        comparison.mismatch += "the search learnt something though everything was known\n";
    }
    comparison.mismatch += difference(execution, "complete", expected.complete, schedules.complete, optimal);
    comparison.mismatch +=
        difference(execution, "deadlocked", expected.deadlocked, schedules.deadlocked, optimal);
    if (optimal && result.counts.redundant > 0) {
        comparison.mismatch +=
            std::to_string(result.counts.redundant) + " paths ended with everybody asleep\n";
    }
    return comparison;
}

namespace {

std::vector<ModelOptions> models_of(const std::string& family) {
    std::vector<ModelOptions> models{{}};
    if (family.find("time") != std::string::npos) {
        models.push_back({.explore_timeouts = true, .spurious_wakeups = 0});
    }
    if (family.find("condition") != std::string::npos) {
        models.push_back({.explore_timeouts = false, .spurious_wakeups = 1});
    }
    if (family == "everything" || family == "timed conditions") {
        models.push_back({.explore_timeouts = true, .spurious_wakeups = 1});
    }
    return models;
}

}  // namespace

ClassTotals compare_classes_of(const Shape& family, std::uint64_t first, std::size_t count, bool optimal,
                               const ClassSizes& sizes) {
    Shape shape = family;
    shape.max_threads = std::min(shape.max_threads, sizes.threads);
    shape.total_operations = sizes.operations;
    ClassTotals totals;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Program program = generate(seed, shape);
        for (const ModelOptions& model : models_of(shape.name)) {
            const auto compare = [&](const Program& candidate) {
                return compare_classes(candidate, model, optimal, sizes.most_prefixes);
            };
            const ClassComparison result = compare(program);
            totals.compared += 1;
            totals.too_large += result.too_large ? 1 : 0;
            totals.classes += result.classes;
            if (result.mismatch.empty()) {
                continue;
            }
            // A deliberate fault need not be explained.
            const bool explain = std::getenv("COOPCHECK_FAULT") == nullptr;
            const Program small = !explain ? program : shrink(program, [&](const Program& smaller) {
                return !compare(smaller).mismatch.empty();
            });
            totals.first_mismatch = shape.name + ", seed " + std::to_string(seed) +
                                    (optimal ? ", optimal" : ", source") +
                                    (model.explore_timeouts ? ", timeouts explored" : "") +
                                    (model.spurious_wakeups > 0 ? ", spurious wake-ups" : "") + ": " +
                                    compare(small).mismatch + to_code(small);
            return totals;
        }
    }
    return totals;
}

}  // namespace coopcheck::testing
