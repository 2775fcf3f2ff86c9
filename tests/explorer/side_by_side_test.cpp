// Races driven to a schedule that puts their two accesses next to each other.
#include "explorer/side_by_side.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/race.hpp"
#include "core/retrace.hpp"
#include "explorer/explore.hpp"
#include "explorer/minimize.hpp"
#include "explorer/race_state.hpp"
#include "explorer/race_watch.hpp"
#include "explorer/replay.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {
namespace {

constexpr std::uint64_t writer_site = 10;
constexpr std::uint64_t reader_site = 20;

/// Both accesses come after a section of another lock each, which orders nothing.
const FiberProgram after_sections{[](Api& api) {
    const Mutex a = api.mutex("a");
    const Mutex b = api.mutex("b");
    const Var x = api.var("x");
    const ThreadId writer = api.create([&api, a, x] {
        api.lock(a);
        api.unlock(a);
        api.at(writer_site);
        api.write(x, 1);
        api.at(0);
        api.lock(a);
        api.unlock(a);
    });
    const ThreadId reader = api.create([&api, b, x] {
        api.lock(b);
        api.unlock(b);
        api.at(reader_site);
        static_cast<void>(api.read(x));
        api.at(0);
    });
    api.join(writer);
    api.join(reader);
}};

/// The same under one lock.
const FiberProgram under_one_lock{[](Api& api) {
    const Mutex a = api.mutex("a");
    const Var x = api.var("x");
    const ThreadId writer = api.create([&api, a, x] {
        api.lock(a);
        api.at(writer_site);
        api.write(x, 1);
        api.at(0);
        api.unlock(a);
    });
    api.lock(a);
    api.at(reader_site);
    static_cast<void>(api.read(x));
    api.at(0);
    api.unlock(a);
    api.join(writer);
}};

std::vector<Finding> races_of(FiberExecution& execution) {
    RaceWatch watch(execution, {.races = RaceSampling::Every});
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = 1;
    options.visible = watch.look_first();
    static_cast<void>(explore(execution, options, &watch));
    return watch.races();
}

void follow(Execution& execution, const Finding& finding) {
    execution.set_visible(finding.visible);
    execution.restart();
    for (const Choice& choice : finding.schedule)
        static_cast<void>(execution.step(choice.thread, choice.variant));
}

/// What the program accesses first.
Location first_access(Execution& execution) {
    for (execution.restart();;) {
        const ParkedThread parked = execution.parked().back();
        const StepResult step = execution.step(parked.thread, Variant::normal());
        if (!step.accesses.empty()) return step.accesses.front().location;
    }
}

}  // namespace

TEST_SUITE("side by side") {
    TEST_CASE("a race is driven to where both threads are before their accesses, and made simple") {
        FiberExecution execution(after_sections);
        const std::vector<Finding> races = races_of(execution);
        REQUIRE(races.size() == 1);
        CHECK(races.front().confirmed);
        const auto found = put_side_by_side(execution, races.front(), {});
        REQUIRE(found);
        CHECK(found->race->side_by_side);
        follow(execution, *found);
        const auto again = race_in_state(execution, *found->race);
        REQUIRE(again);
        CHECK(again->race->first.access.write);
        CHECK_FALSE(again->race->second.access.write);

        MinimizeOptions options;
        options.visible = found->visible;
        MinimizeResult minimized = minimize(execution, *found, options);
        minimized.finding.visible = minimized.visible;
        // One of the two has to be left before its access.
        CHECK(minimized.finding.preemptions == 1);
        CHECK(minimized.proved());
        CHECK_FALSE(minimized.decision.decision);
        follow(execution, minimized.finding);
        CHECK(race_in_state(execution, *found->race));
    }

    TEST_CASE("the trace of a race tells both accesses, and replays") {
        FiberExecution execution(after_sections);
        const auto found = put_side_by_side(execution, races_of(execution).front(), {});
        REQUIRE(found);
        const TraceWords words{
            .location = [&](Location location) { return execution.variable_name(location); }};
        const Trace trace = retrace(execution, *found, words);
        REQUIRE(trace.finding.race);
        CHECK_FALSE(trace.finding.race->apart);
        CHECK(trace.finding.race->first.operation.kind == OpKind::Write);
        CHECK(trace.finding.race->second.operation.kind == OpKind::Read);
        CHECK(trace.finding.race->second.operation.location == "x");
        CHECK(trace.finding.race->first.locks.empty());
        // Where the trace ends, both are still to come.
        CHECK(race_in_state(execution, *found->race));

        FiberExecution fresh(after_sections);
        fresh.restart();
        ReplayOptions options;
        options.words = {.location = [&](Location location) { return fresh.variable_name(location); }};
        options.locate = [&](const std::string& name) {
            const Location x = found->race->second.access.location;
            return name == "x" ? std::optional{x} : std::nullopt;
        };
        CHECK(replay(fresh, trace, options).kind == ReplayResult::Kind::Reproduced);
    }

    TEST_CASE("two accesses under one lock are never side by side") {
        FiberExecution execution(under_one_lock);
        CHECK(races_of(execution).empty());
        Finding pretended;
        pretended.kind = FindingKind::Race;
        Race race;
        race.first.access.site = writer_site;
        race.first.access.write = true;
        race.second.access.site = reader_site;
        race.first.access.location = race.second.access.location = first_access(execution);
        pretended.race = std::make_shared<const Race>(race);
        CHECK_FALSE(put_side_by_side(execution, pretended, {}));
    }
}

}  // namespace coopcheck::testing
