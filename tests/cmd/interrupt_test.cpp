#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/cmd/captured_run.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/random.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::testing::all_gone;
using coopcheck::testing::CapturedRun;
using coopcheck::testing::run_coopcheck;
using coopcheck::tracer::Exited;
using coopcheck::tracer::ProcessId;
using coopcheck::tracer::Signalled;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

TEST_CASE("whenever coopcheck is killed or interrupted, no process and no file stays behind") {
    const std::string mark = "coopcheck-interrupt-test-" + std::to_string(::getpid());
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / mark;
    std::filesystem::create_directory(folder);
    constexpr std::array signals{SIGKILL, SIGINT, SIGTERM};
    constexpr std::array checkpoints{"every", "auto", "none"};
    coopcheck::testing::Random random(1);
    int summaries = 0;
    for (std::size_t time = 0; time < 200; ++time) {
        const int signal = signals[time % signals.size()];
        const int delay_ms = random.below(60);
        const CapturedRun run = run_coopcheck(
            {"explore", "--checkpoints", checkpoints[time % 7 % checkpoints.size()], target("many_threads"),
             mark},
            [&] { std::filesystem::current_path(folder); },
            [&](ProcessId process) {
                std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
                ::kill(static_cast<pid_t>(process), signal);
            });
        CAPTURE(signal);
        CAPTURE(delay_ms);
        CAPTURE(run.err);
        if (run.end == WaitStatus(Exited{130})) {
            CHECK(signal != SIGKILL);
            CHECK(run.out.find(": interrupted.\n") != std::string::npos);
            summaries += 1;
            // The summary is there to be read as a page, too; nothing else is.
            const std::filesystem::path out = folder / "coopcheck-out";
            CHECK(std::filesystem::exists(out / "report.html"));
            CHECK(std::filesystem::remove_all(out) == 2);
        } else {
            // Not asked politely, or before it could listen.
            CHECK(run.end == WaitStatus(Signalled{signal}));
            CHECK(run.out.empty());
        }
        REQUIRE(all_gone(mark));
        REQUIRE(std::filesystem::is_empty(folder));
    }
    CHECK(summaries > 0);
    std::filesystem::remove(folder);
}
