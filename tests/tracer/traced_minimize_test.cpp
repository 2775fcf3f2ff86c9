// Minimization does on a process what it does on fibers: going back to places, with every way of keeping
// them.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "explorer/minimize.hpp"
#include "tests/explorer/failing_schedule.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::tracer::test {

TEST_CASE("the deadlock of the bank is minimized to one preemption on a traced process") {
    for (const CheckpointPolicy policy :
         {CheckpointPolicy::Auto, CheckpointPolicy::Every, CheckpointPolicy::Root, CheckpointPolicy::None}) {
        TracedOptions options;
        options.checkpoints = policy;
        TracedExecution execution({.program = std::string(COOPCHECK_CORPUS_FOLDER) + "/bank", .input = ""},
                                  options);
        coopcheck::testing::Random random(1);
        std::optional<Finding> finding;
        while (!finding) {
            constexpr std::size_t most_steps = 1'000;
            finding = coopcheck::testing::random_failure(execution, random, most_steps);
        }
        REQUIRE(finding->kind == FindingKind::Deadlock);
        const MinimizeResult result = minimize(execution, *finding, {});
        // main creates both and waits; the first is preempted between its locks; with its first lock the
        // second closes the cycle.
        CHECK(result.cost.preemptions == 1);
        CHECK(result.cost.switches == 2);
        CHECK(result.cost.threads == 3);
        CHECK(result.proved());
        CHECK(coopcheck::testing::shows(coopcheck::testing::replay(execution, result.finding.schedule),
                                        *finding));
        REQUIRE(result.decision.decision);
        CHECK(coopcheck::testing::replay(execution, result.decision.decision->passing).passed);
        // Had the first one gone on instead of the second taking its lock.
        CHECK(result.decision.decision->step + 1 == result.finding.schedule.size());
    }
}

}  // namespace coopcheck::tracer::test
