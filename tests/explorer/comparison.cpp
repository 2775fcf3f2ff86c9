#include "tests/explorer/comparison.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "tests/support/brute_force.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/shrink.hpp"

namespace coopcheck::testing {

namespace {

constexpr unsigned highest_bound = 3;
constexpr std::size_t most_states = 60'000;
constexpr std::size_t most_schedules = 4'000;
constexpr std::size_t most_schedules_unpruned = 1'000;

/// Notes the final state of every complete schedule with the preemptions it took.
class FinalStates : public SearchListener {
  public:
    explicit FinalStates(SearchOutcomes& outcomes) : within_(outcomes.within), all_(outcomes.all) {}

    void path(const PathReport& report) override {
        if (report.end != PathEnd::Complete) {
            return;
        }
        // In names: which thread has which number is the execution's affair.
        std::string schedule;
        const ThreadNames& names = report.execution.names().threads;
        for (const StepRecord& step : report.steps) {
            schedule += names.name(step.thread) + '/' + std::to_string(static_cast<int>(step.variant.kind)) +
                        (step.variant.thread.valid() ? names.name(step.variant.thread) : "") + '/' +
                        std::to_string(step.variant.value) + ' ';
        }
        repeated_ = !schedules_.insert(schedule).second || repeated_;
        std::string state;
        if (report.run_end->kind == RunEnd::Kind::AllThreadsEnded) {
            state = dynamic_cast<const FiberExecution&>(report.execution).final_state();
        } else if (report.run_end->kind == RunEnd::Kind::ProcessExit) {
            state = describe_exit(report.run_end->code);
        } else {
            return;
        }
        all_.final_states.insert(state);
        std::size_t from = 0;
        if (within_.size() > 1) {
            from = count_preemptions(report.steps);
        }
        for (std::size_t bound = from; bound < within_.size(); ++bound) {
            within_[bound].final_states.insert(state);
        }
    }
    void start_over() override { schedules_.clear(); }
    [[nodiscard]] bool repeated() const { return repeated_; }

  private:
    std::vector<Outcomes>& within_;
    Outcomes& all_;
    std::set<std::string> schedules_;
    bool repeated_ = false;
};

std::string target_name(const Operation& operation, const Names& names) {
    if (operation.thread.valid()) {
        return names.threads.name(operation.thread);
    }
    return operation.object.valid() ? names.objects.name(operation.object) : "";
}

void note_finding(const Finding& finding, const Names& names, Outcomes& outcomes) {
    switch (finding.kind) {
        case FindingKind::Assertion:
            outcomes.assertions.insert(
                describe_assertion(names.threads.name(finding.thread), finding.message));
            break;
        case FindingKind::Misuse:
            outcomes.misuses.insert(describe_misuse(*finding.misuse, names.threads.name(finding.thread),
                                                    finding.operation.kind,
                                                    target_name(finding.operation, names)));
            break;
        case FindingKind::Livelock:  // brute force goes through states and has no notion of it
            break;
        default:
            outcomes.deadlocks.insert(finding.key());
            break;
    }
}

SearchOptions search_options(Pruning pruning, FootprintSource footprints) {
    SearchOptions options;
    options.pruning = pruning;
    options.footprints = footprints;
    options.spin_limit = 30;  // scheduled fairly, a loop waits at most for what the others have to do
    options.budget.schedules = pruning == Pruning::None ? most_schedules_unpruned : most_schedules;
    return options;
}

/// Brute force trusts nobody: a search that does may see less, but nothing else.
bool trusts(const Program& program) {
    return std::any_of(program.threads.begin(), program.threads.end(),
                       [](const std::vector<Instruction>& code) {
                           return std::any_of(code.begin(), code.end(), [](const Instruction& instruction) {
                               return instruction.code == Opcode::TrustedBegin;
                           });
                       });
}

/// Deadlocks are compared by whether there is one; everything else must be equal.
std::string compare(Outcomes brute, const Outcomes& searched, bool deadlocks, bool may_see_less) {
    if (may_see_less) {
        Outcomes both = brute;
        both.add(searched);
        const bool invented = both.final_states != brute.final_states ||
                              both.assertions != brute.assertions || both.misuses != brute.misuses ||
                              (searched.deadlock() && !brute.deadlock());
        return invented ? difference(brute, searched) : "";
    }
    Outcomes left = std::move(brute);
    Outcomes right = searched;
    const bool expected_deadlock = left.deadlock();
    left.deadlocks.clear();
    right.deadlocks.clear();
    std::string text;
    if (!(left == right)) {
        text = difference(left, right);
    }
    if (deadlocks && expected_deadlock != searched.deadlock()) {
        text += expected_deadlock ? "a deadlock was missed\n" : "a deadlock that does not exist was found\n";
    }
    return text;
}

bool too_large(const SearchResult& result) {
    return std::any_of(result.gaps.begin(), result.gaps.end(), [](const std::string& gap) {
        return gap.find("limit on schedules") != std::string::npos;
    });
}

/// The models a family's programs are tried under.
std::vector<ModelOptions> models_of(const std::string& family) {
    if (family.find("time") != std::string::npos) {
        return {{.explore_timeouts = true, .spurious_wakeups = 0},
                {.explore_timeouts = false, .spurious_wakeups = 0}};
    }
    if (family.find("condition") != std::string::npos) {
        return {{.explore_timeouts = false, .spurious_wakeups = 0},
                {.explore_timeouts = false, .spurious_wakeups = 1}};
    }
    return {{}};
}

}  // namespace

SearchResult search_alone(Execution& execution, const SearchOptions& options, SearchListener* listener) {
    return explore(execution, options, listener);
}

SearchOutcomes search(const Program& program, const ModelOptions& model, const SearchOptions& options,
                      const Searching& searching) {
    return search(to_fibers(program), model, options, searching);
}

SearchOutcomes search(const FiberProgram& program, const ModelOptions& model, const SearchOptions& options,
                      const Searching& searching) {
    FiberExecution execution(program, model);
    SearchOutcomes outcomes;
    outcomes.within.resize(options.bound ? *options.bound + 1 : 1);
    FinalStates states(outcomes);
    outcomes.result = searching(execution, options, &states);
    for (const Finding& finding : outcomes.result.findings) {
        note_finding(finding, execution.names(), outcomes.all);
        const std::size_t from = options.bound ? finding.preemptions : 0;
        for (std::size_t bound = from; bound < outcomes.within.size(); ++bound) {
            note_finding(finding, execution.names(), outcomes.within[bound]);
        }
    }
    outcomes.repeated_a_schedule = states.repeated();
    return outcomes;
}

const std::vector<SearchKind>& search_kinds() {
    static const std::vector<SearchKind> kinds = [] {
        std::vector<SearchKind> all;
        all.push_back({"ExitBlock-DD", search_options(Pruning::None, FootprintSource::Locks), true});
        all.push_back(
            {"ExitBlock-RWDD, locks", search_options(Pruning::ReadWrite, FootprintSource::Locks), true});
        all.push_back(
            {"ExitBlock-RWDD, data", search_options(Pruning::ReadWrite, FootprintSource::Data), true});
        SearchOptions options = search_options(Pruning::ReadWrite, FootprintSource::Locks);
        options.ignore_unshared_locks = true;
        all.push_back({"ExitBlock-RWDD, unshared locks ignored", options, true});
        options.ignore_unshared_locks = false;
        options.granularity = Granularity::Operations;
        all.push_back({"operations, RW", options, true});
        options.reduction = Reduction::Source;
        all.push_back({"source sets", options, true});
        options.reduction = Reduction::Optimal;
        all.push_back({"optimal", options, true});
        options.footprints = FootprintSource::Data;
        all.push_back({"optimal, data", options, true});
        options.reduction = Reduction::Source;
        all.push_back({"source sets, data", options, true});
        options.footprints = FootprintSource::Locks;
        options.reduction = Reduction::Blocks;
        options.bound = highest_bound;
        all.push_back({"bounded, RW", options, true});
        options.reduction = Reduction::Source;
        all.push_back({"bounded, classes", options, true});
        const std::size_t enough = options.recorded_beginnings;
        options.recorded_beginnings = 20;
        all.push_back({"bounded, classes, record given up", options, true});
        options.recorded_beginnings = enough;
        options.reduction = Reduction::Blocks;
        options.pruning = Pruning::None;
        options.budget.schedules = most_schedules_unpruned;
        all.push_back({"bounded, no pruning", options, true});
        return all;
    }();
    return kinds;
}

std::optional<Expected> expect(const Program& program, const ModelOptions& model) {
    const BruteForce brute(program, model, {most_states});
    if (!brute.complete()) {
        return std::nullopt;
    }
    return Expected{brute.outcomes(), brute.outcomes_within(highest_bound)};
}

std::optional<std::string> mismatch(const Program& program, const ModelOptions& model, const SearchKind& kind,
                                    const Expected& expected, bool& cut, const Searching& searching) {
    const SearchOutcomes searched = search(program, model, kind.options, searching);
    cut = too_large(searched.result);
    if (cut) {
        return std::nullopt;
    }
    std::string text = searched.repeated_a_schedule ? "a schedule was run twice\n" : "";
    if (kind.options.bound) {
        for (std::size_t bound = 0; bound <= *kind.options.bound; ++bound) {
            const std::string at_bound = compare(expected.within[bound], searched.within[bound],
                                                 kind.finds_deadlocks, trusts(program));
            if (!at_bound.empty()) {
                text += "bound " + std::to_string(bound) + ":\n" + at_bound;
            }
        }
        if (searched.result.bound_left_nothing) {
            text += compare(expected.all, searched.all, kind.finds_deadlocks, trusts(program));
        }
    } else {
        text += compare(expected.all, searched.within.front(), kind.finds_deadlocks, trusts(program));
    }
    return text.empty() ? std::nullopt : std::optional{text};
}

namespace {

/// The program as code, shrunk as long as it shows the mismatch.
std::string explain(const Program& program, const ModelOptions& model, const SearchKind& kind) {
    const auto wrong = [&](const Program& candidate) -> std::optional<std::string> {
        const std::optional<Expected> expected = expect(candidate, model);
        bool cut = false;
        return expected ? mismatch(candidate, model, kind, *expected, cut) : std::nullopt;
    };
    const Program small = shrink(program, [&](const Program& smaller) { return wrong(smaller).has_value(); });
    return kind.name + (model.explore_timeouts ? ", timeouts explored" : "") +
           (model.spurious_wakeups > 0 ? ", spurious wake-ups" : "") + "\n" + *wrong(small) + to_code(small);
}

}  // namespace

ComparisonTotals compare_family(const std::string& family_name, ProgramSize size, std::uint64_t first_seed,
                                std::size_t count, OnMismatch on_mismatch) {
    ComparisonTotals totals;
    Shape shape = family(family_name);
    if (size == ProgramSize::Small) {
        shape.max_threads = std::min(shape.max_threads, 3);
        shape.total_operations = 12;
    }
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        const Program program = generate(seed, shape);
        for (const ModelOptions& model : models_of(family_name)) {
            ++totals.programs;
            const std::optional<Expected> expected = expect(program, model);
            if (!expected) {
                ++totals.too_large;
                continue;
            }
            totals.with_deadlock += expected->all.deadlock() ? 1 : 0;
            totals.with_assertion += expected->all.assertions.empty() ? 0 : 1;
            totals.with_misuse += expected->all.misuses.empty() ? 0 : 1;
            for (const SearchKind& kind : search_kinds()) {
                bool cut = false;
                const std::optional<std::string> difference = mismatch(program, model, kind, *expected, cut);
                ++totals.searches;
                totals.searches_cut += cut ? 1 : 0;
                if (difference) {
                    totals.first_mismatch =
                        family_name + ", seed " + std::to_string(seed) + ", " +
                        (on_mismatch == OnMismatch::Explain ? explain(program, model, kind) : *difference);
                    return totals;
                }
            }
        }
    }
    return totals;
}

}  // namespace coopcheck::testing
