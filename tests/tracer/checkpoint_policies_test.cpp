// Checkpoints are a shortcut: whatever they are, a program does the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/tracer/driver.hpp"
#include "tests/tracer/twins.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

constexpr std::array policies_to_compare{CheckpointPolicy::Every, CheckpointPolicy::Root,
                                         CheckpointPolicy::Auto};

std::string corpus(const std::string& name) { return std::string(COOPCHECK_CORPUS_FOLDER) + "/" + name; }

std::vector<std::string> all_programs() {
    std::vector<std::string> all;
    for (const std::string& name : steady_programs()) all.push_back(target(name));
    for (const std::string name :
         {"bank", "if_instead_of_while", "lost_wakeup", "philosophers", "reorder", "splitsync"}) {
        all.push_back(corpus(name));
        all.push_back(corpus(name + "_fixed"));
    }
    return all;
}

/// How a run ended, in one line.
std::string end_of(const Record& record) {
    std::string text;
    if (record.end) {
        text = std::to_string(static_cast<int>(record.end->kind)) + " code " +
               std::to_string(record.end->code) + " " + record.end->message;
    }
    return text + " | " + record.standard_output + " | " + record.standard_error;
}

/// The rest of a run is that of the whole one from this step on.
bool is_rest(const Record& rest, const Record& whole, std::size_t from) {
    return std::equal(rest.steps.begin(), rest.steps.end(),
                      whole.steps.begin() + static_cast<std::ptrdiff_t>(from), whole.steps.end());
}

}  // namespace

TEST_CASE("a schedule gives the same operations, output and end with every checkpoint policy") {
    for (const std::string& program : all_programs()) {
        CAPTURE(program);
        const LaunchOptions launch{.program = program, .input = ""};
        TracedExecution plain(launch, {.checkpoints = CheckpointPolicy::None});
        std::vector<Record> expected;
        for (unsigned seed = 0; seed < 3; ++seed) {
            plain.restart();
            expected.push_back(drive(plain, at_random(seed)));
        }
        for (const CheckpointPolicy policy : policies_to_compare) {
            CAPTURE(static_cast<int>(policy));
            TracedExecution execution(launch, {.checkpoints = policy});
            for (unsigned seed = 0; seed < expected.size(); ++seed) {
                const Record& whole = expected[seed];
                execution.restart();
                const Record again = drive(execution, at_random(seed), {.collect_places = true});
                CHECK(again.steps == whole.steps);
                CHECK(end_of(again) == end_of(whole));
                CHECK(again.deadlock == whole.deadlock);
                const std::size_t middle = whole.steps.size() / 2;
                execution.revisit(again.places[middle]);
                const Record rest = replay(execution, whole.schedule, middle);
                CHECK(is_rest(rest, whole, middle));
                CHECK(end_of(rest) == end_of(whole));
            }
        }
    }
}

TEST_CASE("a search runs the same schedules in the same order with every checkpoint policy") {
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = 2;
    for (const std::string& program : all_programs()) {
        CAPTURE(program);
        // Without checkpoints every way back is a new start of the program; those of the corpus are the
        // smaller ones.
        const bool is_small = program.starts_with(COOPCHECK_CORPUS_FOLDER);
        options.budget.schedules = is_small ? 200 : 30;
        options.budget.steps = is_small ? 5'000 : 700;
        const LaunchOptions launch{.program = program, .input = ""};
        TracedExecution plain(launch, {.checkpoints = CheckpointPolicy::None});
        const SeenSchedules expected = see_schedules(plain, options);
        CHECK_FALSE(expected.paths.empty());
        for (const CheckpointPolicy policy : policies_to_compare) {
            CAPTURE(static_cast<int>(policy));
            TracedExecution execution(launch, {.checkpoints = policy});
            CHECK(difference(expected, "without checkpoints", see_schedules(execution, options),
                             "with them") == "");
        }
    }
}

TEST_CASE("a hundred copies of one checkpoint end as the original did") {
    for (const std::string& program :
         {target("condition"), target("barrier_once_spin"), target("cpp_threads"), target("malloc_and_print"),
          target("cancel"), corpus("bank")}) {
        CAPTURE(program);
        TracedExecution execution({.program = program, .input = ""},
                                  {.checkpoints = CheckpointPolicy::Every});
        execution.restart();
        const Record whole = drive(execution, at_random(3), {.collect_places = true});
        const std::size_t middle = whole.steps.size() / 2;
        for (int time = 0; time < 100; ++time) {
            execution.revisit(whole.places[middle]);
            const Record rest = replay(execution, whole.schedule, middle);
            REQUIRE(is_rest(rest, whole, middle));
            REQUIRE(end_of(rest) == end_of(whole));
        }
        CHECK(execution.counts().launches == 1);
        CHECK(execution.counts().replayed_steps == 0);
    }
}

TEST_CASE("when memory is short there are no checkpoints, and the program does the same") {
    constexpr std::uint64_t more_than_there_is = std::uint64_t{1} << 60U;
    const LaunchOptions launch{.program = target("condition"), .input = ""};
    TracedExecution plenty(launch, {.checkpoints = CheckpointPolicy::Every});
    TracedExecution short_of_memory(
        launch, {.checkpoints = CheckpointPolicy::Every, .limits = {.leave_free_bytes = more_than_there_is}});
    plenty.restart();
    short_of_memory.restart();
    const Record expected = drive(plenty, at_random(3), {.collect_places = true});
    const Record whole = drive(short_of_memory, at_random(3), {.collect_places = true});
    CHECK(plenty.counts().checkpoints > 0);
    CHECK(short_of_memory.counts().checkpoints == 0);
    CHECK(whole.steps == expected.steps);
    short_of_memory.revisit(whole.places[5]);
    CHECK(short_of_memory.counts().replayed_steps == 5);
    CHECK(is_rest(replay(short_of_memory, whole.schedule, 5), expected, 5));
}
