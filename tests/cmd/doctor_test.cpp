#include <doctest/doctest.h>
#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cmd/captured_run.hpp"

using coopcheck::testing::run_coopcheck;
using coopcheck::tracer::Exited;
using coopcheck::tracer::WaitStatus;

namespace {

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

/// "ptrace" of "ok  ptrace: ..." and "FAIL ptrace: ...".
std::string name_of_check(const std::string& line) { return line.substr(0, line.find(':')); }

std::vector<std::string> checks(const std::string& text) {
    std::vector<std::string> result;
    for (const std::string& line : lines(text)) result.push_back(name_of_check(line));
    return result;
}

/// Makes the kernel refuse system calls with EPERM, as the profile of a container does.
void forbid(std::initializer_list<int> system_calls) {
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool done = filter != nullptr;
    for (const int call : system_calls) {
        done = done && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
    }
    if (!done || seccomp_load(filter) != 0) ::_exit(126);
    seccomp_release(filter);
}

}  // namespace

TEST_CASE("doctor finds this machine fit") {
    const auto run = run_coopcheck({"doctor"});
    CHECK(run.end == WaitStatus(Exited{0}));
    CHECK(run.err.empty());
    CHECK(checks(run.out) == std::vector<std::string>{"ok  architecture", "ok  ptrace", "ok  fixed addresses",
                                                      "ok  seccomp", "ok  glibc", "ok  libdw", "ok  Zydis",
                                                      "ok  libseccomp"});
}

TEST_CASE("doctor works when its caller ignores SIGCHLD") {
    const auto run = run_coopcheck({"doctor"}, [] { std::signal(SIGCHLD, SIG_IGN); });
    CHECK(run.end == WaitStatus(Exited{0}));
}

TEST_CASE("doctor tells a filter that forbids ptrace from other reasons and names the remedy") {
    const auto run = run_coopcheck({"doctor"}, [] {
        // LeakSanitizer needs ptrace as well, and would fail at the end of a sanitized coopcheck.
        ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
        forbid({SCMP_SYS(ptrace)});
    });
    CHECK(run.end == WaitStatus(Exited{2}));
    const auto printed = lines(run.out);
    REQUIRE(printed.size() == 8);
    CHECK(name_of_check(printed[0]) == "ok  architecture");
    CHECK(printed[1] ==
          "FAIL ptrace: tracing a child process: Operation not permitted, "
          "a seccomp filter in force here, most likely that of a container, forbids it; "
          "remedy: in a container, start it with --cap-add=SYS_PTRACE --security-opt seccomp=unconfined");
    CHECK(name_of_check(printed[2]) == "ok  fixed addresses");
    CHECK(name_of_check(printed[3]) == "FAIL seccomp");
}

TEST_CASE("doctor notices that addresses cannot be fixed") {
    const auto run = run_coopcheck({"doctor"}, [] { forbid({SCMP_SYS(personality)}); });
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(checks(run.out) == std::vector<std::string>{"ok  architecture", "ok  ptrace",
                                                      "FAIL fixed addresses", "ok  seccomp", "ok  glibc",
                                                      "ok  libdw", "ok  Zydis", "ok  libseccomp"});
}

TEST_CASE("doctor notices that filters cannot be installed") {
    const auto run = run_coopcheck({"doctor"}, [] { forbid({SCMP_SYS(seccomp), SCMP_SYS(prctl)}); });
    CHECK(run.end == WaitStatus(Exited{2}));
    CHECK(checks(run.out).at(3) == "FAIL seccomp");
}
