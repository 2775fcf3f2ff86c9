// Everything that sampling reports exists: compared with brute force, on random programs from fixed seeds.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/explorer/comparison.hpp"
#include "tests/explorer/sampling_support.hpp"
#include "tests/support/amount.hpp"
#include "tests/support/generator.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::uint64_t programs_each = amount(6);
constexpr std::size_t schedules_each = 30;

/// Checks the end of every schedule against what can come out with as many preemptions.
class EndsExist : public SearchListener {
  public:
    EndsExist(const FiberExecution& execution, const Expected& expected)
        : execution_(execution), expected_(expected) {}

    void path(const PathReport& report) override {
        if (report.end != PathEnd::Complete) {
            return;
        }
        const Outcomes& possible = within(count_preemptions(report.steps));
        if (report.run_end->kind == RunEnd::Kind::AllThreadsEnded) {
            CHECK(possible.final_states.contains(execution_.final_state()));
        } else if (report.run_end->kind == RunEnd::Kind::ProcessExit) {
            CHECK(possible.final_states.contains(describe_exit(report.run_end->code)));
        }
    }

    [[nodiscard]] const Outcomes& within(unsigned preemptions) const {
        return preemptions < expected_.within.size() ? expected_.within[preemptions] : expected_.all;
    }

  private:
    const FiberExecution& execution_;
    const Expected& expected_;
};

void check_findings(FiberExecution& execution, const SampleResult& result, const EndsExist& expected) {
    for (const Finding& finding : result.findings) {
        Outcomes found;
        add_finding(found, finding, execution.names());
        Outcomes both = expected.within(finding.preemptions);
        both.add(found);
        CHECK_MESSAGE(both == expected.within(finding.preemptions), to_text(found));
        const std::optional<Finding> again = run_again(execution, finding);
        REQUIRE(again);
        CHECK(again->key() == finding.key());
    }
}

}  // namespace

TEST_SUITE("sampling") {
    TEST_CASE("what strategies report of random programs exists, within the preemptions they say") {
        std::size_t compared = 0;
        std::size_t findings = 0;
        for (const Shape& family : families()) {
            Shape shape = family;
            shape.max_threads = std::min(shape.max_threads, 3);
            shape.total_operations = 12;
            for (std::uint64_t seed = 1'000; seed < 1'000 + programs_each; ++seed) {
                const Program program = generate(seed, shape);
                const std::optional<Expected> expected = expect(program, {});
                if (!expected) {
                    continue;
                }
                for (const NamedStrategy& named : all_strategies()) {
                    CAPTURE(shape.name);
                    CAPTURE(seed);
                    CAPTURE(named.name);
                    FiberExecution execution(to_fibers(program));
                    execution.restart();
                    execution.set_visible(execution.variables());
                    const std::unique_ptr<Strategy> strategy = named.make(seed);
                    SampleOptions options;
                    options.budget.schedules = schedules_each;
                    // Brute force knows nothing of fairness.
                    options.spin_patience = 1'000'000;
                    options.thread_step_limit = 300;
                    EndsExist ends(execution, *expected);
                    const SampleResult result = sample(execution, *strategy, options, &ends);
                    check_findings(execution, result, ends);
                    compared += 1;
                    findings += result.findings.size();
                }
            }
        }
        // A comparison of nothing would prove nothing.
        CHECK(compared > families().size() * all_strategies().size() * programs_each / 2);
        CHECK(findings > amount(300));
    }
}

}  // namespace coopcheck::testing
