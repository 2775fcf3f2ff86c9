#include "tracer/traced_execution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "tests/tracer/driver.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

constexpr std::array all_policies{CheckpointPolicy::Auto, CheckpointPolicy::Every, CheckpointPolicy::Root,
                                  CheckpointPolicy::None};

Record run_first(const std::string& program, std::vector<std::string> arguments = {}) {
    TracedExecution execution({.program = target(program), .arguments = std::move(arguments), .input = ""},
                              {});
    execution.restart();
    return drive(execution, first_enabled());
}

}  // namespace

TEST_CASE("under any schedule a program writes and returns what it does without coopcheck") {
    for (const std::string& program : steady_programs()) {
        CAPTURE(program);
        const NativeRun native = run_natively(target(program));
        TracedExecution execution({.program = target(program), .input = ""}, {});
        std::vector<Policy> policies{first_enabled(), round_robin()};
        for (unsigned seed = 0; seed < 5; ++seed) policies.push_back(at_random(seed));
        for (const Policy& policy : policies) {
            execution.restart();
            const Record record = drive(execution, policy);
            REQUIRE_FALSE(record.deadlock);
            REQUIRE(record.end);
            CHECK(record.end->kind == RunEnd::Kind::ProcessExit);
            CHECK(record.end->code == native.exit_code);
            CHECK(record.standard_output == native.standard_output);
            CHECK(execution.parked().empty());
        }
    }
    CHECK_FALSE(has_child());
}

TEST_CASE("the same schedule gives the same operations, in the same search and in another") {
    for (const std::string& program : steady_programs()) {
        CAPTURE(program);
        const LaunchOptions launch{.program = target(program), .input = ""};
        TracedExecution execution(launch, {});
        TracedExecution other(launch, {.checkpoints = CheckpointPolicy::None});
        for (unsigned seed = 0; seed < 3; ++seed) {
            execution.restart();
            const Record first = drive(execution, at_random(seed));
            execution.restart();
            const Record second = replay(execution, first.schedule);
            CHECK(first.steps == second.steps);
            CHECK(first.standard_output == second.standard_output);
            CHECK(second.end.has_value());
            if (seed > 0) continue;
            // Another search hands out the numbers of threads in the order in which it meets them: the same
            // here.
            other.restart();
            CHECK(replay(other, first.schedule).steps == first.steps);
        }
    }
}

TEST_CASE("going back to any node and on again gives the same continuation with every checkpoint policy") {
    for (const std::string program :
         {"condition", "barrier_once_spin", "cpp_threads", "malloc_and_print", "cancel"}) {
        std::optional<Record> reference;
        for (const CheckpointPolicy policy : all_policies) {
            CAPTURE(program);
            CAPTURE(static_cast<int>(policy));
            TracedExecution execution({.program = target(program), .input = ""}, {.checkpoints = policy});
            execution.restart();
            const Record whole = drive(execution, at_random(7), {.collect_places = true});
            REQUIRE(whole.end);
            if (!reference) reference = whole;
            CHECK(whole.steps == reference->steps);
            const std::size_t stride = std::max<std::size_t>(1, whole.steps.size() / 6);
            for (std::size_t node = whole.steps.size() - 1; node < whole.steps.size(); node -= stride) {
                execution.revisit(whole.places[node]);
                CHECK(execution.here()->depth() == node);
                const Record rest = replay(execution, whole.schedule, node);
                CHECK(std::equal(rest.steps.begin(), rest.steps.end(),
                                 whole.steps.begin() + static_cast<std::ptrdiff_t>(node), whole.steps.end()));
                CHECK(rest.standard_output == whole.standard_output);
                REQUIRE(rest.end);
                CHECK(rest.end->code == whole.end->code);
            }
        }
    }
    CHECK_FALSE(has_child());
}

TEST_CASE("above the limit the oldest checkpoints are dropped and replaying takes their place") {
    TracedExecution execution({.program = target("condition"), .input = ""},
                              {.checkpoints = CheckpointPolicy::Every, .limits = {.processes = 3}});
    execution.restart();
    const Record whole = drive(execution, at_random(3), {.collect_places = true});
    execution.revisit(whole.places[5]);
    CHECK(execution.counts().replayed_steps == 5);
    CHECK(replay(execution, whole.schedule, 5).steps.back() == whole.steps.back());
}

TEST_CASE("objects have the same names in every interleaving") {
    for (const std::string program : {"malloc_and_print", "cpp_threads", "mutex_kinds"}) {
        CAPTURE(program);
        TracedExecution execution({.program = target(program), .input = ""}, {});
        std::set<std::string> first;
        for (unsigned seed = 0; seed < 10; ++seed) {
            execution.restart();
            static_cast<void>(drive(execution, at_random(seed)));
            std::set<std::string> locks;
            for (std::uint32_t nth = 0; nth < execution.names().objects.size(); ++nth) {
                const std::string& name = execution.names().objects.name(ObjectId{nth});
                // Whether anybody waits on a futex of libc depends on the schedule.
                if (name.find("futex") == std::string::npos) locks.insert(name);
            }
            if (seed == 0) first = locks;
            CHECK(locks == first);
        }
    }
}

TEST_CASE("calls that are made deeper on the stack than earlier ones are operations, too") {
    const Record record = run_first("deeper_calls");
    const auto calls = [&](const std::string& name) {
        return std::count_if(record.steps.begin(), record.steps.end(), [&](const std::string& step) {
            return step.find(name) < step.find(" result ");
        });
    };
    CAPTURE(record.steps);
    CHECK(calls("pthread_create") == 2);
    CHECK(calls("pthread_join") == 2);
}

TEST_CASE("a failed assertion ends the run with its text") {
    const Record record = run_first("assertion");
    REQUIRE(record.end);
    CHECK(record.end->kind == RunEnd::Kind::Failed);
    CHECK(record.end->failure == FindingKind::Assertion);
    CHECK(record.end->message.ends_with("assertion.c:9: check: Assertion `value == 2' failed."));
    CHECK(record.standard_error.starts_with("assertion: "));
}

TEST_CASE("a thread that fails is parked, and others can run before the process ends") {
    TracedExecution execution({.program = target("assertion"), .input = ""}, {});
    execution.restart();
    const ThreadId child = execution.parked_thread(main_thread).operation.thread;
    execution.step(main_thread, Variant::normal());
    execution.step(child, Variant::normal());
    CHECK(execution.parked_thread(child).operation.kind == OpKind::Failure);
    CHECK(execution.parked_thread(main_thread).operation.kind == OpKind::ThreadJoin);
    const StepResult last = execution.step(child, Variant::normal());
    REQUIRE(last.end);
    CHECK(last.end->failure == FindingKind::Assertion);
}

TEST_CASE("a fatal signal ends the run with its name, a handled one does not") {
    const auto end_of = [](const std::string& how) { return run_first("crash", {how}).end.value(); };
    CHECK(end_of("segv").message == "SIGSEGV in die");
    CHECK(end_of("fpe").message == "SIGFPE in die");
    CHECK(end_of("abort").message == "SIGABRT");
    CHECK(end_of("segv").failure == FindingKind::Crash);
    CHECK(end_of("lock").message.starts_with("SIGSEGV in "));
    CHECK(end_of("handled").kind == RunEnd::Kind::ProcessExit);
    CHECK(end_of("handled lock").kind == RunEnd::Kind::ProcessExit);
}

TEST_CASE("a loop that waits for memory to change becomes a place to yield, once it has been seen") {
    TracedExecution execution({.program = target("spin_forever"), .input = ""},
                              {.silence_limit = std::chrono::milliseconds(20)});
    CHECK_THROWS_AS(execution.restart(), Refined);
    execution.restart();
    // The first turn brings the flag into a register; from then on nothing changes.
    execution.step(main_thread, Variant::normal());
    for (int turn = 0; turn < 3; ++turn) {
        const ParkedThread& main = execution.parked_thread(main_thread);
        CHECK(main.operation.kind == OpKind::Yield);
        CHECK(execution.describe_site(main.operation.site) == "main spin_forever.c:16");
        const auto before = execution.fingerprint();
        execution.step(main_thread, Variant::normal());
        CHECK(execution.fingerprint() == before);
    }
    CHECK(execution.blind_spots().size() == 1);
    CHECK(execution.counts().launches == 2);
}

TEST_CASE("a thread that never comes back is a livelock, one that blocks outside an error") {
    const TracedOptions impatient{.silence_limit = std::chrono::milliseconds(200)};
    TracedExecution working({.program = target("spin_forever"), .arguments = {"work"}, .input = ""},
                            {.silence_limit = std::chrono::milliseconds(20)});
    working.restart();
    const Record record = drive(working, first_enabled());
    REQUIRE(record.end);
    CHECK(record.end->failure == FindingKind::Livelock);
    CHECK(record.end->message ==
          "ran for 200 ms without any operation, in main (--spin-limit gives it more time)");
    TracedExecution blocking({.program = target("spin_forever"), .arguments = {"block"}, .input = ""},
                             impatient);
    CHECK_THROWS_WITH_AS(blocking.restart(),
                         "The program blocks in the system call recvfrom (socket 3) for more than 200 ms; "
                         "coopcheck does not model "
                         "waiting for the outside world.",
                         Error);
}

TEST_CASE("processes that the program starts run and are waited for") {
    const Record record = run_first("forks");
    CHECK(record.standard_output == run_natively(target("forks")).standard_output);
    CHECK_FALSE(has_child());
}

TEST_CASE("choices of the program are variants of one operation") {
    TracedExecution execution({.program = target("api"), .input = ""}, {});
    for (std::uint32_t first = 0; first < 3; ++first) {
        for (std::uint32_t second = 0; second < 2; ++second) {
            execution.restart();
            CHECK(execution.model()
                      .options(main_thread, execution.parked_thread(main_thread).operation)
                      .size() == 3);
            execution.step(main_thread, Variant::chosen(first));
            execution.step(main_thread, Variant::normal());
            execution.step(main_thread, Variant::chosen(second));
            const Record record = drive(execution, first_enabled());
            REQUIRE(record.end);
            if (first == 2 && second == 1) {
                CHECK(record.end->failure == FindingKind::Assertion);
                CHECK(record.end->message.ends_with("api.c:11: two and one"));
            } else {
                CHECK(record.standard_output == std::to_string(first) + " " + std::to_string(second) + "\n");
            }
        }
    }
}

TEST_CASE("an uncaught exception ends the run with its type") {
    const auto end = run_first("terminate").end.value();
    CHECK(end.failure == FindingKind::Crash);
    CHECK(end.message.find("'std::runtime_error'") != std::string::npos);
    CHECK(end.message.find("nobody catches this") != std::string::npos);
}

TEST_CASE("every way to end a process is seen, and what runs at exit still runs") {
    const auto check = [](const std::string& how, int code, const std::string& output) {
        CAPTURE(how);
        const Record record = run_first("endings", {how});
        REQUIRE(record.end);
        CHECK(record.end->kind == RunEnd::Kind::ProcessExit);
        CHECK(record.end->code == code);
        CHECK(record.standard_output == output);
    };
    check("join", 0, "key destroyed\natexit\n");
    check("detach", 0, "atexit\n");
    check("detached", 0, "atexit\n");
    check("exit_from_thread", 3, "atexit\n");
    check("pthread_exit_main", 0, "thread after main\nkey destroyed\natexit\n");
    check("immediately", 5, "");
    check("return_from_main", 0, "atexit\n");
}

TEST_CASE("a program built with AddressSanitizer runs, and its report is the finding") {
    CHECK(run_first("use_after_free").end.value().kind == RunEnd::Kind::ProcessExit);
    TracedExecution execution({.program = target("use_after_free"), .input = ""}, {});
    execution.restart();
    const Record record = drive(execution, [](std::size_t count) { return count - 1; });
    REQUIRE(record.end);
    CHECK(record.end->failure == FindingKind::Crash);
    CHECK(record.end->message.starts_with("AddressSanitizer: heap-use-after-free"));
}

TEST_CASE("a library loaded at run time is under control too") {
    const Record record = run_first("plugin_host", {target("plugin.so")});
    CHECK(record.standard_output == "3\n");
    const auto locks = std::count_if(record.steps.begin(), record.steps.end(), [](const std::string& step) {
        return step.find(" pthread_mutex_lock plugin.so:plugin_mutex ") != std::string::npos &&
               step.find(" pthread_mutex_lock plugin.so:plugin_mutex ") < step.find('|');
    });
    CHECK(locks == 2);
}

TEST_CASE("only the region between begin and end is left to the search") {
    TracedExecution execution({.program = target("region"), .input = ""}, {});
    execution.restart();
    CHECK(execution.standard_output().empty());
    CHECK(execution.parked().size() == 1);
    CHECK(execution.parked().front().operation.kind == OpKind::ThreadCreate);
    CHECK(execution.names().threads.name(execution.parked().front().operation.thread) == "T0.3");
    const Record first = drive(execution, first_enabled());
    CHECK(first.standard_output == "before 4\ninside 4\nafter 4\n");
    CHECK(first.steps.size() == 12);
    std::set<std::string> outputs;
    for (unsigned seed = 0; seed < 20; ++seed) {
        execution.restart();
        outputs.insert(drive(execution, at_random(seed)).standard_output);
    }
    CHECK(outputs == std::set<std::string>{"before 4\ninside 4\nafter 4\n", "before 4\ninside 5\nafter 4\n"});
}

TEST_CASE("files stand where they stood when the program goes back") {
    const std::string path = target("file_offset.txt");
    std::ofstream(path) << "abcdefghijklmnopqrstuvwxyz";
    std::set<std::string> outputs;
    for (const CheckpointPolicy policy : all_policies) {
        CAPTURE(static_cast<int>(policy));
        TracedExecution execution({.program = target("file_offset"), .arguments = {path}, .input = ""},
                                  {.checkpoints = policy});
        execution.restart();
        const Record whole = drive(execution, at_random(1), {.collect_places = true});
        for (std::size_t node = 2; node < whole.steps.size(); node += 5) {
            execution.revisit(whole.places[node]);
            outputs.insert(replay(execution, whole.schedule, node).standard_output);
        }
    }
    CHECK(outputs.size() == 1);
    CHECK(outputs.begin()->size() == 25);
}

TEST_CASE("the world outside is the same in every run") {
    const LaunchOptions launch{.program = target("outside_world"), .input = "one\ntwo\n"};
    std::set<std::string> outputs;
    for (const CheckpointPolicy policy : all_policies) {
        TracedExecution execution(launch, {.checkpoints = policy});
        for (int time = 0; time < 2; ++time) {
            execution.restart();
            const Record record = drive(execution, first_enabled());
            outputs.insert(record.standard_output);
            CHECK(record.standard_error == "to standard error\n");
        }
    }
    REQUIRE(outputs.size() == 1);
    CHECK(outputs.begin()->starts_with("slept 3600 "));
    CHECK(outputs.begin()->find("line one\nline two\n") != std::string::npos);
}

TEST_CASE("what is no program for coopcheck is refused with a sentence") {
    const auto message = [](const std::string& program) -> std::string {
        try {
            TracedExecution execution({.program = program}, {});
            execution.restart();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message("/no/such/file") == "There is no file '/no/such/file'.");
    CHECK(message("/tmp") == "'/tmp' is a folder, not a program.");
    CHECK(message("/etc/passwd").starts_with("'/etc/passwd' is not executable"));
    CHECK(message("/usr/bin/ldd").find("is not an ELF program") != std::string::npos);
    CHECK(message("no_such_program_anywhere") == "There is no program 'no_such_program_anywhere' in PATH.");
    CHECK_FALSE(has_child());
}

TEST_CASE("a site is described by function, file and line") {
    TracedExecution execution({.program = target("two_threads"), .input = ""}, {});
    execution.restart();
    const ParkedThread& main = execution.parked_thread(main_thread);
    CHECK(main.operation.kind == OpKind::ThreadCreate);
    CHECK(execution.describe_site(main.operation.site) == "main two_threads.c:22");
}

TEST_CASE("code of a header inlined into a lambda of a constructor is described by the lambda's own line") {
    TracedExecution execution({.program = target("lambda_locks"), .input = ""}, {});
    execution.restart();
    for (;;) {
        const auto parked = execution.parked();
        const auto lock = std::find_if(parked.begin(), parked.end(), [](const ParkedThread& thread) {
            return thread.operation.kind == OpKind::MutexLock;
        });
        if (lock != parked.end()) {
            CHECK(execution.describe_site(lock->operation.site) ==
                  "Worker::Worker::{lambda#1} lambda_locks.cpp:9");
            return;
        }
        REQUIRE(!parked.empty());
        // The thread first: main waits for it.
        execution.step(parked.back().thread, Variant::normal());
    }
}

TEST_CASE("to give a spin lock back twice is a misuse, to begin it anew is not") {
    for (const std::string program : {"spin_unlock_twice", "spin_unlock_twice_no_plt"}) {
        CAPTURE(program);
        for (const bool twice : {false, true}) {
            std::vector<std::string> arguments;
            if (twice) arguments.emplace_back("twice");
            TracedExecution execution({.program = target(program), .arguments = arguments, .input = ""}, {});
            execution.restart();
            const Record record = drive(execution, first_enabled());
            REQUIRE(record.end);
            CHECK(record.end->kind == (twice ? RunEnd::Kind::Misused : RunEnd::Kind::ProcessExit));
            if (twice) CHECK(record.end->misuse == Misuse::UnlockByStranger);
        }
    }
}
