#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "tests/support/processes.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/child_process.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

[[noreturn]] void search_forever(const std::string& mark) {
    TracedExecution execution({.program = target("condition"), .arguments = {mark}, .input = ""},
                              {.checkpoints = CheckpointPolicy::Every});
    for (unsigned seed = 0;; ++seed) {
        execution.restart();
        static_cast<void>(drive(execution, at_random(seed), {.collect_places = true}));
    }
}

}  // namespace

TEST_CASE("no process of the target survives a tracer that is killed") {
    const std::string mark = "coopcheck-kill-test-" + std::to_string(::getpid());
    for (int delay_ms = 20; delay_ms < 220; delay_ms += 20) {
        {
            ChildProcess tracer([&mark]() -> int { search_forever(mark); });
            std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
            CHECK(tracer.kill_and_reap() == WaitStatus(Signalled{SIGKILL}));
        }
        // The kernel kills the tracees of a tracer that ends (PTRACE_O_EXITKILL); their end takes a moment.
        CHECK(coopcheck::testing::all_gone(mark));
    }
}
