#include "tracer/time_stamp_reads.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <string>

#include "tests/tracer/driver.hpp"
#include "tracer/modules.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer::test {

namespace {

std::string path_of_library(const std::string& start) {
    Session session({.program = target("cpp_threads"), .input = ""}, {}, std::chrono::seconds(1));
    const Run run(session);
    for (const Module& module : run.state().loaded->modules.all()) {
        if (module.name().starts_with(start)) return module.file->path();
    }
    return "";
}

bool is_forbidden_in(const std::string& program) {
    Session session({.program = target(program), .input = ""}, {}, std::chrono::seconds(1));
    return Run(session).state().time_stamps_forbidden;
}

std::string output_of(const std::string& program, const std::string& argument) {
    TracedExecution execution({.program = target(program), .arguments = {argument}, .input = ""}, {});
    execution.restart();
    return drive(execution, round_robin()).standard_output;
}

}  // namespace

TEST_CASE("instructions that read the time stamp counter are found in a file") {
    TimeStampReads reads;
    CHECK(reads.may_be_in(target("time_stamps")));
    CHECK_FALSE(reads.may_be_in(target("two_threads")));
    CHECK_FALSE(reads.may_be_in(target("made_code")));
    CHECK(reads.may_be_in("/no/such/file"));
}

TEST_CASE("the libraries of every C++ program do not read the time stamp counter for it") {
    TimeStampReads reads;
    // The bytes of the instruction are in both, as parts of others.
    for (const std::string name : {"libstdc++.so", "libm.so"}) {
        const std::string path = path_of_library(name);
        CAPTURE(name);
        REQUIRE_FALSE(path.empty());
        CHECK_FALSE(reads.may_be_in(path));
    }
}

TEST_CASE("time stamps are forbidden only to programs that have code to read them") {
    CHECK(is_forbidden_in("time_stamps"));
    CHECK_FALSE(is_forbidden_in("two_threads"));
    CHECK_FALSE(is_forbidden_in("cpp_threads"));
    CHECK_FALSE(is_forbidden_in("made_code"));
}

TEST_CASE("time stamps read by code that a program makes itself are the same in every run") {
    for (const std::string way : {"mmap", "mprotect"}) {
        CAPTURE(way);
        const std::string output = output_of("made_code", way);
        CHECK(output.starts_with("1 "));
        CHECK(output_of("made_code", way) == output);
    }
}

}  // namespace coopcheck::tracer::test
