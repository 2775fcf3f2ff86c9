// Random programs: every finding of every kind of search goes through a trace file and comes back in a new
// execution.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "explorer/explore.hpp"
#include "explorer/replay.hpp"
#include "reporting/relevant_steps.hpp"
#include "reporting/trace_file.hpp"
#include "tests/explorer/comparison.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"

namespace coopcheck::testing {
namespace {

struct Totals {
    std::size_t deadlocks = 0;
    std::size_t others = 0;
};

TraceWords words(const FiberExecution& execution) {
    return {.location = [&](Location location) { return execution.variable_name(location); }};
}

/// What a trace says about its end (who holds what, who cannot go on) is what the model says there.
void check_end(const FiberExecution& execution, const Trace& trace) {
    std::set<std::string> live;
    std::set<std::string> blocked;
    std::set<std::pair<std::string, std::string>> held;
    for (const ParkedThread& parked : execution.parked()) {
        const std::string& name = execution.names().threads.name(parked.thread);
        live.insert(name);
        if (!execution.model().enabled(parked.thread, parked.operation)) {
            blocked.insert(name);
        }
        for (const ObjectId object : execution.model().held(parked.thread)) {
            held.emplace(name, execution.names().objects.name(object));
        }
    }
    std::set<std::pair<std::string, std::string>> said;
    for (const Holding& holding : holdings_at_end(trace)) {
        if (live.contains(holding.thread)) {
            said.emplace(holding.thread, holding.object);
        }
    }
    CHECK(said == held);
    std::set<std::string> said_blocked;
    for (const TraceStep& step : trace.steps) {
        said_blocked.erase(step.thread);
        said_blocked.insert(step.blocks.begin(), step.blocks.end());
        for (const std::string& thread : step.frees) {
            CHECK(said_blocked.erase(thread) == 1);
        }
    }
    if (!live.empty()) {
        CHECK(said_blocked == blocked);
    }
}

void check_finding(FiberExecution& execution, const Finding& finding, const Program& program,
                   const ModelOptions& model, bool spins) {
    const Trace trace = retrace(execution, finding, words(execution));
    CAPTURE(describe(finding.kind));
    check_end(execution, trace);
    // For the search it is no preemption to leave a thread that has to let others go first because it spins.
    CHECK(trace.preemptions >= finding.preemptions);
    CHECK((trace.preemptions == finding.preemptions || spins));
    const Trace read = trace_from_json(to_json(trace), "test");
    CHECK(read == trace);

    FiberExecution fresh(to_fibers(program), model);
    fresh.restart();
    ReplayOptions options{.words = words(fresh)};
    options.locate = [&](const std::string& name) -> std::optional<Location> {
        const std::vector<Location> all = fresh.variables();
        const auto found = std::find_if(
            all.begin(), all.end(), [&](Location location) { return fresh.variable_name(location) == name; });
        return found == all.end() ? std::nullopt : std::optional{*found};
    };
    const ReplayResult result = replay(fresh, read, options);
    CHECK(result.kind == ReplayResult::Kind::Reproduced);
    if (result.divergence) {
        INFO(to_code(program));
        FAIL_CHECK(result.divergence->expected << ", but " << result.divergence->happened);
    }
}

Totals check_family(const Shape& family, std::size_t programs) {
    Shape shape = family;
    shape.max_threads = std::min(shape.max_threads, 3);
    shape.total_operations = 12;
    Totals totals;
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
        const Program program = generate(seed, shape);
        for (const ModelOptions& model :
             {ModelOptions{}, {.explore_timeouts = true, .spurious_wakeups = 1}}) {
            for (const SearchKind& kind : search_kinds()) {
                FiberExecution execution(to_fibers(program), model);
                SearchOptions options = kind.options;
                options.budget.schedules = 200;
                const SearchResult result = explore(execution, options);
                for (const Finding& finding : result.findings) {
                    check_finding(execution, finding, program, model, !result.conditions.empty());
                    (finding.kind == FindingKind::Deadlock ? totals.deadlocks : totals.others) += 1;
                }
                for (const Finding& finding : result.races) {
                    check_finding(execution, finding, program, model, !result.conditions.empty());
                    totals.others += 1;
                }
            }
        }
    }
    return totals;
}

}  // namespace

TEST_CASE(
    "findings of all searches in random programs are reproduced from their trace files, preemptions counted "
    "alike") {
    Totals totals;
    for (const Shape& shape : families()) {
        CAPTURE(shape.name);
        const Totals family = check_family(shape, amount(20));
        totals.deadlocks += family.deadlocks;
        totals.others += family.others;
    }
    // Or this would prove nothing.
    CHECK(totals.deadlocks > amount(500));
    CHECK(totals.others > amount(1000));
}

}  // namespace coopcheck::testing
