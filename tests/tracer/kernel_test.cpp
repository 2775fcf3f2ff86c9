// What threads share through the kernel: files that let them wait, signals, timers; and what is refused.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "core/error.hpp"
#include "explorer/explore.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

std::string output_of(const std::string& program, const Policy& policy) {
    TracedExecution execution({.program = target(program), .input = ""}, {});
    execution.restart();
    const Record record = drive(execution, policy);
    CHECK_FALSE(record.deadlock);
    REQUIRE(record.end);
    CHECK(record.end->kind == RunEnd::Kind::ProcessExit);
    return record.standard_output;
}

std::string refusal(const std::string& program, std::vector<std::string> arguments = {}) {
    try {
        TracedExecution execution(
            {.program = target(program), .arguments = std::move(arguments), .input = ""}, {});
        execution.restart();
        static_cast<void>(drive(execution, first_enabled()));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the order in which threads write to a pipe is explored") {
    TracedExecution execution({.program = target("pipe_order"), .input = ""}, {});
    const SearchResult result = explore(execution, {});
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings.front().kind == FindingKind::Assertion);
    CHECK(result.findings.front().message.find("letters[0] == 'a'") != std::string::npos);
}

TEST_CASE("waiting for a pipe that nobody writes to is a deadlock") {
    TracedExecution execution({.program = target("pipe_order"), .arguments = {"more"}, .input = ""}, {});
    const SearchResult result = explore(execution, {});
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings.front().kind == FindingKind::Deadlock);
    REQUIRE(result.findings.front().waits.size() == 1);
    const Operation& waits = result.findings.front().waits.front().operation;
    CHECK(waits.kind == OpKind::SystemCall);
    CHECK(execution.names().objects.name(waits.object) == "read of pipe 3");
}

TEST_CASE("sending a signal is a step of its own: the receiver can act, or end, before it") {
    for (const std::string order : {"seen", "ended"}) {
        CAPTURE(order);
        TracedExecution execution({.program = target("signal_order"), .arguments = {order}, .input = ""}, {});
        for (const Reduction reduction : {Reduction::Blocks, Reduction::Optimal}) {
            SearchOptions options;
            options.reduction = reduction;
            const SearchResult result = explore(execution, options);
            REQUIRE(result.findings.size() == 1);
            CHECK(result.findings.front().kind == FindingKind::Assertion);
        }
        SearchOptions bounded;
        bounded.bound = 1;
        bounded.granularity = Granularity::Operations;
        CHECK(explore(execution, bounded).findings.size() == 1);
    }
}

TEST_CASE("poll, select and epoll_wait sleep by the program's own clock") {
    CHECK(output_of("sleeping_polls", first_enabled()) == "epoll_wait 0\nslept 90\n");
    CHECK(output_of("sleeping_polls", round_robin()) == "epoll_wait 0\nslept 90\n");
}

TEST_CASE("timers of all kinds expire by the program's own clock") {
    const std::string expected = "alarms 1\nslept 1\nsem_wait -1 1\ntimer 42\ntimerfd 1\n";
    CHECK(output_of("timers", first_enabled()) == expected);
    CHECK(output_of("timers", round_robin()) == expected);
    CHECK(output_of("timers", at_random(1)) == expected);
}

TEST_CASE("time limits are over in the order of time") {
    for (const Policy& policy : {first_enabled(), round_robin(), at_random(1), at_random(2)}) {
        CHECK(output_of("time_limits", policy) == "waited 10\nwaited 30\nwaited 50\n");
    }
}

TEST_CASE("files that a run has made are gone when the next one starts") {
    const std::string path = target("temporary_file.txt");
    std::filesystem::remove(path);
    TracedExecution execution({.program = target("temporary_file"), .arguments = {path}, .input = ""}, {});
    for (int time = 0; time < 2; ++time) {
        execution.restart();  // the run before it has not come to its end
        CHECK(drive(execution, first_enabled(), {.step_limit = 2}).endless);
        CHECK(std::filesystem::exists(path));
    }
    execution.restart();
    CHECK(drive(execution, first_enabled()).standard_output == "hello\n");
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("time stamps of the processor and random numbers out of files are the same in every run") {
    std::set<std::string> outputs;
    for (int time = 0; time < 3; ++time) outputs.insert(output_of("time_stamps", first_enabled()));
    REQUIRE(outputs.size() == 1);
    CHECK(outputs.begin()->starts_with("1 "));
}

TEST_CASE("what is not modelled is refused by name") {
    for (const std::string call : {"futex_waitv", "semget", "msgget", "mq_open", "flock", "signalfd4"}) {
        CHECK(refusal("unmodelled", {call}) == "The program makes the system call " + call +
                                                   ", which coopcheck does not model; it cannot be checked.");
    }
    CHECK(refusal("unmodelled", {"futex_lock_pi"})
              .starts_with("The program makes the futex system call with operation 6"));
    CHECK(refusal("unmodelled", {"futex_requeue"})
              .starts_with("The program makes the futex system call with operation 4"));
    CHECK(refusal("unmodelled", {"shared_mutex"}).starts_with("The program starts a process that shares "));
    CHECK(refusal("unmodelled").empty());
    CHECK(refusal("unmodelled", {"io_uring_setup"}).empty());  // answered as a kernel without it does
}

TEST_CASE("a program whose threads or locks cannot be seen is refused") {
    CHECK(refusal("two_threads_tsan").starts_with("'two_threads_tsan' is built with ThreadSanitizer"));
    CHECK(refusal("two_threads_static_stripped")
              .starts_with("'two_threads_static_stripped' is a static program without symbols"));
    CHECK(refusal("two_threads_static").empty());
}
