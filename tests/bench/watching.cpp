// What it costs to watch the accesses of a program, and to switch at them.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "explorer/race_watch.hpp"
#include "tests/bench/bare_process.hpp"
#include "tests/bench/measure.hpp"
#include "tracer/traced_execution.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::bench;
using namespace coopcheck::tracer;

/// Of tests/targets/access_rounds.c.
constexpr std::size_t accesses_in_round = 100;

LaunchOptions access_rounds(const std::string& mode) {
    return {.program = COOPCHECK_TARGETS_FOLDER "/access_rounds", .arguments = {mode}, .input = ""};
}

/// Both threads are made, and have begun.
ThreadId start(TracedExecution& execution) {
    const auto step_first = [&](OpKind kind) {
        for (const ParkedThread& entry : execution.parked()) {
            if (entry.operation.kind != kind) continue;
            execution.step(entry.thread, Variant::normal());
            return true;
        }
        return false;
    };
    execution.restart();
    while (step_first(OpKind::ThreadCreate)) {
    }
    while (step_first(OpKind::ThreadStart)) {
    }
    return execution.parked().back().thread;
}

/// Runs with locks, watched, until it is known which memory threads share.
ThreadId start_watched(TracedExecution& execution) {
    execution.set_watching(Watching::Every);
    for (;;) {
        static_cast<void>(start(execution));
        for (int round = 0; round < 4; ++round) {
            for (const ParkedThread entry :
                 std::vector(execution.parked().begin(), execution.parked().end())) {
                if (execution.model().enabled(entry.thread, execution.parked_thread(entry.thread).operation))
                    execution.step(entry.thread, Variant::normal());
            }
        }
        if (!execution.watched_too_late()) return execution.parked().back().thread;
    }
}

/// The worker that can run makes a step.
void step_somebody(TracedExecution& execution) {
    for (const ParkedThread& entry : execution.parked()) {
        if (entry.thread == main_thread || !execution.model().enabled(entry.thread, entry.operation))
            continue;
        execution.step(entry.thread, Variant::normal());
        return;
    }
}

void measure_watched_access() {
    TracedExecution execution(access_rounds("locked"), {.checkpoints = CheckpointPolicy::None});
    static_cast<void>(start_watched(execution));
    BareLoop bare;
    // A lock and an unlock, with the accesses between them.
    Comparison comparison = compare(
        {.batches = 100, .calls_in_batch = 2}, [&] { step_somebody(execution); }, [&] { bare.stop(); });
    comparison.ours.median_us *= 2.0 / accesses_in_round;
    comparison.ours.fastest_us *= 2.0 / accesses_in_round;
    print("an access that is watched", comparison, 25);
}

/// The instruction that reads it is learnt from a run that is watched; then the variable is visible.
void make_visible(TracedExecution& execution) {
    const Location variable = execution.find_location("shared").value_or(Location{});
    std::vector<Location> bytes;
    for (std::uint64_t byte = 0; byte < sizeof(long); ++byte)
        bytes.push_back(Location::memory(variable.value() + byte));
    execution.set_watching(Watching::Every);
    execution.set_visible(bytes);
    try {
        static_cast<void>(start(execution));
    } catch (const Refined&) {
        // It reads the variable for ever, as nobody stops it there yet.
    }
    execution.set_watching(Watching::Off);
    execution.set_visible(bytes);
}

void measure_point(RacyPoints how, const char* title, double limit) {
    TracedExecution execution(access_rounds("racy"),
                              {.checkpoints = CheckpointPolicy::None, .racy_points = how});
    make_visible(execution);
    const ThreadId worker = start(execution);
    BareLoop bare;
    print(title,
          compare(
              {}, [&] { execution.step(worker, Variant::normal()); }, [&] { bare.stop(); }),
          limit);
}

void measure_beside(RacyPoints how, const char* title, double limit) {
    TracedExecution execution(access_rounds("beside"),
                              {.checkpoints = CheckpointPolicy::None, .racy_points = how});
    make_visible(execution);
    const ThreadId worker = start(execution);
    BareLoop bare;
    Comparison comparison = compare(
        {.batches = 100, .calls_in_batch = 1}, [&] { execution.step(worker, Variant::normal()); },
        [&] { bare.stop(); });
    comparison.ours.median_us /= accesses_in_round;
    comparison.ours.fastest_us /= accesses_in_round;
    print(title, comparison, limit);
}

double seconds_of_search(const std::string& program, RaceSampling races, Points points) {
    const double start_us = now_us();
    TracedExecution execution({.program = program, .input = ""}, {.racy_points = RacyPoints::Breakpoints});
    RaceWatch watch(execution, {.races = races, .points = points});
    SearchOptions options;
    options.granularity = Granularity::Operations;
    options.bound = 2;
    options.spin_patience = 4;
    options.budget.schedules = 3000;
    options.budget.steps = 300'000;
    options.max_findings = std::numeric_limits<std::size_t>::max();
    options.visible = watch.look_first();
    for (;;) {
        try {
            static_cast<void>(explore(execution, options, &watch));
            return (now_us() - start_us) / 1e6;
        } catch (const Refined&) {
            watch.start_over();
            options.visible = watch.visible();
            execution.set_visible(options.visible);
        }
    }
}

std::vector<std::string> fixed_programs() {
    std::vector<std::string> programs;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(COOPCHECK_CORPUS_FOLDER)) {
        const std::string path = entry.path().string();
        const bool has_an_end = path.find("endless") == std::string::npos;
        if (entry.is_regular_file() && path.ends_with("_fixed") && has_an_end) programs.push_back(path);
    }
    std::sort(programs.begin(), programs.end());
    return programs;
}

/// The corpus searched without and with watching, each program for at most as many schedules. That places to
/// switch at are found, and more schedules with them, is not what watching costs.
void measure_sampling() {
    double off_s = 0;
    double sample_s = 0;
    double racy_s = 0;
    for (const std::string& program : fixed_programs()) {
        const double off = seconds_of_search(program, RaceSampling::Off, Points::Sync);
        const double sample = seconds_of_search(program, RaceSampling::Sample, Points::Sync);
        const double racy = seconds_of_search(program, RaceSampling::Sample, Points::Racy);
        std::printf("  %-36s off %8.3f s, sample %8.3f s: %5.2f times (with racy points %8.3f s)\n",
                    std::filesystem::path(program).filename().c_str(), off, sample, sample / off, racy);
        std::fflush(stdout);
        off_s += off;
        sample_s += sample;
        racy_s += racy;
    }
    std::printf("%-38s off %8.3f s, sample %8.3f s: %5.2f times, limit 2.00: %s (with racy points %8.3f s)\n",
                "the corpus within bound 2", off_s, sample_s, sample_s / off_s, verdict(sample_s / off_s, 2),
                racy_s);
}

}  // namespace

int main() {
    try {
        measure_watched_access();
        measure_point(RacyPoints::Breakpoints, "a racy point", 3);
        measure_point(RacyPoints::ClosedPages, "the same by closed pages", 25);
        measure_beside(RacyPoints::Breakpoints, "its instruction for other memory", 2);
        measure_beside(RacyPoints::ClosedPages, "the same by closed pages", 25);
        measure_sampling();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
