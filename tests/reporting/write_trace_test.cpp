#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/error.hpp"
#include "reporting/trace_file.hpp"
#include "tests/reporting/sample_trace.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tracer/child_process.hpp"

namespace coopcheck::testing {
namespace {

std::set<std::string> files_in(const TemporaryFolder& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

}  // namespace

TEST_SUITE("trace file") {
    TEST_CASE(
        "a trace is written in a folder that is made for it, replaces the one before, and leaves nothing "
        "else") {
        const TemporaryFolder folder;
        const std::string path = folder.file("a/b/trace.json");
        write_trace(full_trace(), path);
        CHECK(read_trace(path) == full_trace());
        Trace other = full_trace();
        other.tool = "another";
        write_trace(other, path);
        CHECK(read_trace(path) == other);
        CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "a/b"), {}) == 1);
    }

    TEST_CASE("what somebody who was killed left behind is cleared away by the next") {
        const TemporaryFolder folder;
        std::ofstream(folder.file(".trace.json.new")) << "half";
        write_trace(full_trace(), folder.file("trace.json"));
        CHECK(files_in(folder) == std::set<std::string>{"trace.json"});
    }

    TEST_CASE("a trace that cannot be written is an error with its reason") {
        const TemporaryFolder folder;
        std::filesystem::create_directory(folder.file("trace.json"));
        CHECK_THROWS_WITH_AS(write_trace(full_trace(), folder.file("trace.json")),
                             ("Cannot write the trace " + folder.file("trace.json") +
                              ": Is a directory; choose another folder with --out.")
                                 .c_str(),
                             Error);
        CHECK(files_in(folder) == std::set<std::string>{"trace.json"});
    }

    TEST_CASE("whoever reads while traces are replaced, or after the writer is killed, finds a whole trace") {
        const TemporaryFolder folder;
        const std::string path = folder.file("trace.json");
        write_trace(full_trace(), path);
        for (int round = 0; round < 20; ++round) {
            tracer::ChildProcess writer([&]() -> int {
                for (;;) {
                    write_trace(full_trace(), path);
                }
            });
            for (int read = 0; read < 20; ++read) {
                REQUIRE(read_trace(path) == full_trace());
            }
            CHECK(writer.kill_and_reap() == tracer::WaitStatus(tracer::Signalled{SIGKILL}));
            REQUIRE(read_trace(path) == full_trace());
        }
        write_trace(full_trace(), path);
        CHECK(files_in(folder) == std::set<std::string>{"trace.json"});
    }
}

}  // namespace coopcheck::testing
