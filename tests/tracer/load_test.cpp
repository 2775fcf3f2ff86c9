// Programs that are large in one way.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>

#include "explorer/explore.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/available_memory.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

/// What the program had written at the end of each schedule, and how the schedules ended.
class Outputs : public SearchListener {
  public:
    explicit Outputs(const TracedExecution& execution) : execution_(execution) {}

    void path(const PathReport& report) override {
        if (report.end == PathEnd::Abandoned) return;
        paths += 1;
        if (report.end == PathEnd::Redundant) return;
        ends.insert(report.end);
        texts.insert(execution_.standard_output());
        if (report.run_end != nullptr) {
            exits.insert(report.run_end->kind == RunEnd::Kind::ProcessExit ? report.run_end->code : -1);
        }
    }

    std::set<PathEnd> ends;
    std::set<std::string> texts;
    std::set<int> exits;
    std::size_t paths = 0;

  private:
    const TracedExecution& execution_;
};

SearchOptions up_to(std::size_t schedules) {
    SearchOptions options;
    options.bound = 2;
    options.granularity = Granularity::Operations;
    options.budget.schedules = schedules;
    return options;
}

/// Every schedule within the budget ends by exit(0) and with this output.
void check_all(TracedExecution& execution, std::size_t schedules, const std::string& output) {
    Outputs outputs(execution);
    const SearchResult result = explore(execution, up_to(schedules), &outputs);
    CHECK(result.findings.empty());
    CHECK(outputs.ends == std::set{PathEnd::Complete});
    CHECK(outputs.exits == std::set{0});
    CHECK(outputs.texts == std::set{output});
    CHECK(outputs.paths == schedules);
}

}  // namespace

TEST_CASE("a program with 64 threads is right in every schedule") {
    TracedExecution execution({.program = target("many_threads"), .input = ""}, {});
    check_all(execution, 60, "6048.0\n");  // three times 0 + 1 + ... + 63
}

TEST_CASE("a schedule of ten thousand operations runs, and can be gone back into") {
    TracedExecution execution({.program = target("many_operations"), .input = ""}, {});
    execution.restart();
    const Record whole = drive(execution, at_random(1), {.collect_places = true});
    REQUIRE(whole.end);
    CHECK(whole.standard_output == "5000\n");
    // Two threads with start, 2,500 locks and unlocks, exit; main with two creates, two joins, the output and
    // the exit.
    CHECK(whole.steps.size() == 2 * (1 + 5'000 + 1) + 6);
    for (const std::size_t step : {std::size_t{9'000}, std::size_t{4'321}}) {
        execution.revisit(whole.places[step]);
        const Record rest = replay(execution, whole.schedule, step);
        CHECK(rest.steps.size() == whole.steps.size() - step);
        CHECK(rest.steps.front() == whole.steps[step]);
        CHECK(rest.standard_output == whole.standard_output);
    }
}

TEST_CASE(
    "a program with a gigabyte of memory is right in every schedule, however little is left for "
    "checkpoints") {
    const std::uint64_t megabyte = std::uint64_t{1} << 20U;
    const std::optional<std::uint64_t> available = available_memory();
    REQUIRE(available);
    // Each section writes to 64 MB, so every checkpoint comes to own as much; there is room for a few of
    // them.
    const std::uint64_t room = (1024 + 4 * 64) * megabyte;
    TracedExecution execution({.program = target("much_memory"), .arguments = {"1024"}, .input = ""},
                              {.checkpoints = CheckpointPolicy::Every,
                               .limits = {.leave_free_bytes = *available > room ? *available - room : 0,
                                          .look_interval = std::chrono::milliseconds(0)}});
    // 262,144 pages with a 1; a sixteenth of them eight times one more.
    check_all(execution, 12, "393216\n");
}
