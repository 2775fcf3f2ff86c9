#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/cmd/captured_run.hpp"

using coopcheck::testing::run_coopcheck;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;

TEST_CASE("--version prints name and version and nothing else") {
    const auto run = run_coopcheck({"--version"});
    CHECK(run.end == WaitStatus(Exited{0}));
    CHECK(run.out == "coopcheck " COOPCHECK_VERSION "\n");
    CHECK(run.err.empty());
}

TEST_CASE("--help goes to stdout and names the commands") {
    const auto run = run_coopcheck({"--help"});
    CHECK(run.end == WaitStatus(Exited{0}));
    CHECK(run.out.find("doctor") != std::string::npos);
    CHECK(run.err.empty());
}

TEST_CASE("an unknown option is named in one sentence on stderr") {
    for (const auto& arguments : {std::vector<std::string>{"--frobnicate"}, {"doctor", "--frobnicate"}}) {
        const auto run = run_coopcheck(arguments);
        CHECK(run.end == WaitStatus(Exited{2}));
        CHECK(run.out.empty());
        CHECK(run.err == "coopcheck: Unknown option --frobnicate; see coopcheck --help.\n");
    }
}

TEST_CASE("an unknown command is named in one sentence on stderr") {
    const auto run = run_coopcheck({"frobnicate"});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.out.empty());
    CHECK(run.err == "coopcheck: Unknown command or argument frobnicate; see coopcheck --help.\n");
}

TEST_CASE("no command at all is an error") {
    const auto run = run_coopcheck({});
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(run.err == "coopcheck: No command given; see coopcheck --help.\n");
}

TEST_CASE("a log level that does not exist is refused, from the option and from the variable") {
    for (const bool from_variable : {false, true}) {
        const auto run = from_variable
                             ? run_coopcheck({"doctor"}, [] { ::setenv("COOPCHECK_LOG", "loud", 1); })
                             : run_coopcheck({"--log", "loud", "doctor"});
        CHECK(run.end == WaitStatus(Exited{2}));
        CHECK(run.out.empty());
        CHECK(run.err.find("loud") != std::string::npos);
    }
}

TEST_CASE("logs are asked for by option or variable and go to stderr") {
    CHECK(run_coopcheck({"doctor"}).err.empty());
    CHECK(!run_coopcheck({"--verbose", "doctor"}).err.empty());
    CHECK(!run_coopcheck({"--log", "debug", "doctor"}).err.empty());
    CHECK(!run_coopcheck({"doctor"}, [] { ::setenv("COOPCHECK_LOG", "debug", 1); }).err.empty());
}

TEST_CASE("output that cannot be written is an error") {
    const auto run = run_coopcheck({"doctor"}, [] { (void)std::freopen("/dev/full", "w", stdout); });
    CHECK(run.end == WaitStatus(Exited{2}));
}
