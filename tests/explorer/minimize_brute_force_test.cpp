// Minimization against brute force: random programs, a random failing schedule of each, the smallest number
// of preemptions over all interleavings.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explorer/minimize.hpp"
#include "tests/explorer/failing_schedule.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::uint64_t small_programs = amount(300);
constexpr std::uint64_t full_programs = amount(60);
constexpr int walks = 6;
constexpr std::size_t most_steps = 300;
constexpr std::size_t most_states = 30'000;

enum class Size : std::uint8_t { Small, Full };

/// The families that have a test case below.
std::set<std::string>& tested() {
    static std::set<std::string> names;
    return names;
}

ModelOptions model_for(const std::string& family, std::uint64_t seed) {
    ModelOptions model;
    model.explore_timeouts = family.find("time") != std::string::npos && seed % 4 < 2;
    model.spurious_wakeups = family.find("condition") != std::string::npos && seed % 4 < 2 ? 1 : 0;
    return model;
}

Shape shape_of(const std::string& name, Size size) {
    Shape shape = family(name);
    if (size == Size::Small) {
        shape.max_threads = std::min(shape.max_threads, 3);
    }
    shape.total_operations = std::min(shape.total_operations, size == Size::Small ? 14 : 24);
    return shape;
}

bool trusts(const Program& program) {
    return std::any_of(
        program.threads.begin(), program.threads.end(), [](const std::vector<Instruction>& code) {
            return std::any_of(code.begin(), code.end(),
                               [](const Instruction& one) { return one.code == Opcode::TrustedBegin; });
        });
}

/// A program with a schedule that fails, and what brute force says about the finding.
struct Case {
    Program program;
    /// Numbers of threads and objects are those of the execution that met them.
    std::unique_ptr<FiberExecution> execution;
    std::vector<Location> visible;
    Finding finding;
    ScheduleCost cost;
    unsigned fewest = 0;
};

ScheduleCost cost_of(const Replayed& replayed, const Schedule& schedule) {
    ScheduleCost cost;
    cost.preemptions = replayed.preemptions;
    cost.switches = replayed.switches;
    cost.steps = schedule.size();
    return cost;
}

/// Steps and what comes before them: threads and variants are not counted here.
bool no_worse(ScheduleCost cost, const ScheduleCost& than) {
    cost.threads = 0;
    cost.odd_variants = 0;
    return cost <= than;
}

std::optional<Case> failing_case(const std::string& family, Size size, std::uint64_t seed) {
    Case one;
    one.program = generate(seed, shape_of(family, size));
    const ModelOptions model = model_for(family, seed);
    if (trusts(one.program)) {
        return std::nullopt;  // brute force trusts nobody
    }
    one.execution = std::make_unique<FiberExecution>(to_fibers(one.program), model);
    FiberExecution& execution = *one.execution;
    execution.restart();
    if (seed % 2 == 0) {
        one.visible = execution.variables();  // otherwise what races has to be found out
    }
    execution.set_visible(one.visible);
    Random random(seed);
    std::optional<Finding> finding;
    for (int walk = 0; walk < walks && !finding; ++walk) {
        finding = random_failure(execution, random, most_steps);
    }
    if (!finding) {
        return std::nullopt;
    }
    const BruteForce brute(one.program, model, {most_states});
    if (!brute.complete()) {
        return std::nullopt;
    }
    one.finding = *finding;
    one.cost = cost_of(replay(execution, finding->schedule), finding->schedule);
    const auto fewest =
        fewest_preemptions(brute.outcomes_within(finding->preemptions), *finding, execution.names());
    REQUIRE_MESSAGE(fewest, "brute force does not know " << finding->key() << '\n' << to_code(one.program));
    one.fewest = *fewest;
    return one;
}

/// What holds of any result, of one that was stopped as well.
void check_result(const Case& one, const MinimizeResult& result) {
    FiberExecution& execution = *one.execution;
    const Replayed replayed = replay(execution, result.finding.schedule);
    CHECK(result.finding.key() == one.finding.key());
    CHECK(shows(replayed, one.finding));
    CHECK(replayed.preemptions == result.finding.preemptions);
    CHECK(replayed.preemptions == result.cost.preemptions);
    CHECK(replayed.switches == result.cost.switches);
    // Fewer preemptions may cost more switches.
    CHECK(no_worse(result.cost, one.cost));
    CHECK(result.proved_below <= one.fewest);
    CHECK(result.proved() == (result.finding.preemptions == result.proved_below));
    CHECK(result.gaps.empty() == result.proved());
    if (result.decision.decision) {
        const Decision& decision = *result.decision.decision;
        const Replayed passing = replay(execution, decision.passing);
        CHECK(passing.passed);
        CHECK_FALSE(passing.shown_before);
        CHECK(passing.preemptions == decision.passing_cost.preemptions);
        const Schedule& failing = result.finding.schedule;
        const auto [left, right] =
            std::mismatch(failing.begin(), failing.end(), decision.passing.begin(), decision.passing.end());
        CHECK(static_cast<std::size_t>(left - failing.begin()) == decision.step);
        REQUIRE(right != decision.passing.end());
        CHECK(*right == decision.instead);
    }
}

/// Minimizes to the end, then again with a stop at a random moment of that.
void check_case(const Case& one, Random& random) {
    int asked = 0;
    MinimizeOptions options;
    options.visible = one.visible;
    options.should_stop = [&] {
        ++asked;
        return false;
    };
    const MinimizeResult result = minimize(*one.execution, one.finding, options);
    check_result(one, result);
    CHECK(result.finding.preemptions == one.fewest);
    CHECK(result.proved());
    CHECK_FALSE(result.stopped);
    CHECK(result.decision.finished);

    int left = random.below(asked);
    options.should_stop = [&] { return left-- <= 0; };
    const MinimizeResult stopped = minimize(*one.execution, one.finding, options);
    CHECK(stopped.stopped);
    check_result(one, stopped);
}

struct Totals {
    std::uint64_t programs = 0;
    std::uint64_t failing = 0;
    std::uint64_t reduced = 0;
};

Totals check_programs(const std::string& family, Size size) {
    Totals totals;
    const std::uint64_t count = size == Size::Small ? small_programs : full_programs;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        ++totals.programs;
        const std::optional<Case> one = failing_case(family, size, seed);
        if (!one) {
            continue;
        }
        CAPTURE(seed);
        CAPTURE(one->finding.key());
        Random random(seed);
        check_case(*one, random);
        ++totals.failing;
        totals.reduced += one->finding.preemptions > one->fewest ? 1 : 0;
    }
    return totals;
}

void check_family(const std::string& family) {
    const Totals small = check_programs(family, Size::Small);
    const Totals full = check_programs(family, Size::Full);
    if (looks_at_few) {
        return;
    }
    // A comparison of nothing would prove nothing.
    CHECK(small.failing * 20 >= small.programs);
    CHECK(small.reduced * 2 >= small.failing);
    CHECK(full.failing > 0);
}

}  // namespace

#define COOPCHECK_MINIMIZE(family)                                                           \
    TEST_CASE("minimized schedules have as few preemptions as brute force finds: " family) { \
        check_family(family);                                                                \
    }                                                                                        \
    const bool DOCTEST_ANONYMOUS(is_tested) = tested().insert(family).second

TEST_SUITE("minimize against brute force") {
    COOPCHECK_MINIMIZE("locks");
    COOPCHECK_MINIMIZE("nested locks");
    COOPCHECK_MINIMIZE("one lock");
    COOPCHECK_MINIMIZE("hand over hand");
    COOPCHECK_MINIMIZE("mutex kinds");
    COOPCHECK_MINIMIZE("robust");
    COOPCHECK_MINIMIZE("trylock");
    COOPCHECK_MINIMIZE("timedlock");
    COOPCHECK_MINIMIZE("conditions");
    COOPCHECK_MINIMIZE("lost signals");
    COOPCHECK_MINIMIZE("timed conditions");
    COOPCHECK_MINIMIZE("rwlocks");
    COOPCHECK_MINIMIZE("spins");
    COOPCHECK_MINIMIZE("semaphores");
    COOPCHECK_MINIMIZE("barriers");
    COOPCHECK_MINIMIZE("once");
    COOPCHECK_MINIMIZE("threads");
    COOPCHECK_MINIMIZE("cancel");
    COOPCHECK_MINIMIZE("racy");
    COOPCHECK_MINIMIZE("choose");
    COOPCHECK_MINIMIZE("polling");
    COOPCHECK_MINIMIZE("exit");
    COOPCHECK_MINIMIZE("misuse");
    COOPCHECK_MINIMIZE("futex");
    COOPCHECK_MINIMIZE("everything");

    TEST_CASE("every family whose code is not trusted is minimized") {
        std::set<std::string> all{"trusted"};  // brute force trusts nobody
        all.insert(tested().begin(), tested().end());
        CHECK(all.size() == families().size());
    }
}

}  // namespace coopcheck::testing
