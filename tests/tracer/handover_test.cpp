// Programs that leave our hands, continued by something that is not even a debugger.
#include "tracer/handover.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;
using coopcheck::testing::TemporaryFolder;

namespace {

/// Lets the program go on and waits for its end, a minute at most.
std::string make_continuer(const TemporaryFolder& folder) {
    std::string path = folder.file("continuer");
    std::ofstream(path) << "#!/bin/sh\n"
                           "kill -CONT \"$4\"\n"
                           "for i in $(seq 600); do\n"
                           "    grep -q '^State:.Z' \"/proc/$4/status\" && exit 0\n"
                           "    sleep 0.1\n"
                           "done\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

/// Some of the numbers from 0 to `count`, with both ends.
std::vector<std::size_t> spread(std::size_t count) {
    constexpr std::size_t most = 8;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i <= most; ++i) all.push_back(count * i / most);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace

TEST_CASE("a program that is handed over at any step goes on to its end by itself") {
    const TemporaryFolder folder;
    const std::string continuer = make_continuer(folder);
    // They wait in all the ways there are, and none depends on time.
    for (const std::string name :
         {"primitives/mutex_recursive_fixed", "primitives/mutex_robust_fixed", "primitives/rwlock_fixed",
          "primitives/spin_lock_fixed", "primitives/condition_wait_fixed", "primitives/semaphore_fixed",
          "primitives/futex_fixed", "primitives/barrier_fixed", "primitives/std_static_local_fixed",
          "primitives/std_latch_fixed", "primitives/stream_lock_fixed"}) {
        const std::string program = target(name);
        TracedExecution execution({.program = program, .input = ""}, {.checkpoints = CheckpointPolicy::None});
        execution.restart();
        const Schedule schedule = drive(execution, round_robin()).schedule;
        REQUIRE(!schedule.empty());
        for (const std::size_t steps : spread(schedule.size() - 1)) {
            CAPTURE(name);
            CAPTURE(steps);
            execution.restart();
            static_cast<void>(
                replay(execution, Schedule(schedule.begin(), schedule.begin() + std::ptrdiff_t(steps))));
            Handover handover(execution);
            CHECK(handover.program().differences.empty());
            handover.run_debugger({.debugger = continuer, .program = program});
            CHECK(handover.end_program() == WaitStatus(Exited{0}));
        }
    }
}

TEST_CASE("every live thread of a program becomes a thread of the kernel, under the name of the search") {
    TracedExecution execution({.program = target("many_threads"), .input = ""},
                              {.checkpoints = CheckpointPolicy::None});
    execution.restart();
    std::vector<ThreadId> live;
    // Some thread has been made and some has ended when half of the steps are made.
    const Schedule schedule = drive(execution, round_robin()).schedule;
    execution.restart();
    static_cast<void>(replay(
        execution, Schedule(schedule.begin(), schedule.begin() + std::ptrdiff_t(schedule.size() / 2))));
    for (const ParkedThread& parked : execution.parked()) live.push_back(parked.thread);
    REQUIRE(live.size() > 1);

    const Handover handover(execution);
    std::vector<ThreadId> real;
    const std::string process = std::to_string(static_cast<pid_t>(handover.program().process.id()));
    for (const RealThread& thread : handover.program().threads) {
        real.push_back(thread.id);
        std::ifstream file("/proc/" + process + "/task/" +
                           std::to_string(static_cast<pid_t>(thread.kernel_id)) + "/comm");
        std::string name;
        file >> name;
        CHECK(name == execution.names().threads.name(thread.id));
    }
    std::sort(real.begin(), real.end());
    CHECK(real == live);
    const auto tasks = std::filesystem::directory_iterator("/proc/" + process + "/task");
    CHECK(std::distance(begin(tasks), end(tasks)) == static_cast<std::ptrdiff_t>(live.size()));
}

TEST_CASE("a program that has ended cannot be handed over") {
    TracedExecution execution({.program = target("two_threads"), .input = ""},
                              {.checkpoints = CheckpointPolicy::None});
    execution.restart();
    static_cast<void>(drive(execution, first_enabled()));
    CHECK_THROWS_WITH(static_cast<void>(execution.release()),
                      "The program has ended; there is nothing to be seen in a debugger.");
}
