#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/driver.hpp"

using coopcheck::testing::CapturedRun;
using coopcheck::testing::corpus;
using coopcheck::testing::run_coopcheck;
using coopcheck::testing::TemporaryFolder;
using coopcheck::tracer::Exited;
using coopcheck::tracer::ProcessId;
using coopcheck::tracer::WaitStatus;
using coopcheck::tracer::test::target;

namespace {

const std::string philosophers = corpus("philosophers_fixed");

std::vector<std::string> command(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> words{"explore", "--bound", "2", "--resume", file};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("a search of a program in parts says in the end what one without interruption says") {
    for (const auto& [strategy, at_once] :
         std::vector<std::pair<std::string, std::string>>{{"exitblock", "100"}, {"classes", "2"}}) {
        CAPTURE(strategy);
        const TemporaryFolder folder;
        const std::string file = folder.file("search");
        const CapturedRun whole =
            run_coopcheck({"explore", "--strategy", strategy, "--bound", "2", philosophers});
        REQUIRE(whole.end == WaitStatus(Exited{0}));
        std::size_t parts = 1;
        for (;; ++parts) {
            const CapturedRun part =
                run_coopcheck(command(file, {"--strategy", strategy, "--schedules", at_once, philosophers}));
            if (part.end == WaitStatus(Exited{0})) {
                CHECK(first_line(part.out) == first_line(whole.out));
                break;
            }
            REQUIRE(part.end == WaitStatus(Exited{3}));
            REQUIRE(std::filesystem::exists(file));
            CHECK(part.out.find("the same command goes on with it\n") != std::string::npos);
        }
        CHECK(parts > 2);
        CHECK(std::filesystem::is_empty(folder.path()));
    }
}

TEST_CASE("an interrupted search goes on where it was") {
    const TemporaryFolder folder;
    const std::string file = folder.file("search");
    const CapturedRun interrupted = run_coopcheck(
        {"explore", "--resume", file, target("many_threads")}, [] {},
        [&](ProcessId process) {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            ::kill(static_cast<pid_t>(process), SIGINT);
        });
    REQUIRE(interrupted.end == WaitStatus(Exited{130}));
    REQUIRE(std::filesystem::exists(file));
    const CapturedRun resumed =
        run_coopcheck({"explore", "--resume", file, "--schedules", "10", target("many_threads")});
    CHECK(resumed.end == WaitStatus(Exited{3}));
    CHECK(resumed.err.empty());
}

TEST_CASE("a search that was damaged, or is one of something else, is not gone on with") {
    const TemporaryFolder folder;
    const std::string file = folder.file("search");
    const std::vector<std::string> words = command(file, {"--schedules", "2", philosophers});
    REQUIRE(run_coopcheck(words).end == WaitStatus(Exited{3}));

    const CapturedRun program = run_coopcheck(command(file, {target("lost_update")}));
    CHECK(program.end == WaitStatus(Exited{2}));
    CHECK(program.err.find("is another one: the program") != std::string::npos);
    const CapturedRun options = run_coopcheck(command(file, {"--spurious", "1", philosophers}));
    CHECK(options.end == WaitStatus(Exited{2}));
    CHECK(options.err.find("is another one: the options") != std::string::npos);
    const CapturedRun arguments = run_coopcheck(command(file, {philosophers, "3"}));
    CHECK(arguments.end == WaitStatus(Exited{2}));
    CHECK(arguments.err.find("is another one: its arguments") != std::string::npos);

    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    const CapturedRun damaged = run_coopcheck(words);
    CHECK(damaged.end == WaitStatus(Exited{2}));
    CHECK(damaged.err == "coopcheck: Cannot go on with the search in '" + file +
                             "'. It is damaged. Remove the file to begin anew.\n");
}

TEST_CASE("only exhaustive search can be resumed") {
    const CapturedRun run =
        run_coopcheck({"explore", "--resume", "search", "--strategy", "pct", target("lost_update")});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK_FALSE(std::filesystem::exists("search"));
}
