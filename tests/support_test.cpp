// The things the search is proved with: random programs, brute force against fibers, shrinking.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/support/brute_force.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/naive_search.hpp"
#include "tests/support/program.hpp"
#include "tests/support/shrink.hpp"

namespace coopcheck::testing {

namespace {

/// A program small enough for every one of its schedules to be run.
Shape small(Shape shape) {
    shape.max_threads = 3;
    shape.operations = 3;
    shape.total_operations = 6;
    return shape;
}

Program with_threads(std::vector<std::vector<Instruction>> children) {
    Program program;
    program.threads.emplace_back();
    for (std::size_t child = 0; child < children.size(); ++child) {
        program.threads[0].push_back({.code = Opcode::Create, .object = static_cast<int>(child) + 1});
    }
    for (std::size_t child = 0; child < children.size(); ++child) {
        program.threads[0].push_back({.code = Opcode::Join, .object = static_cast<int>(child) + 1});
    }
    program.threads.insert(program.threads.end(), children.begin(), children.end());
    return program;
}

Program opposite_locks() {
    Program program = with_threads({{{.code = Opcode::Lock, .object = 0},
                                     {.code = Opcode::Lock, .object = 1},
                                     {.code = Opcode::Unlock, .object = 1},
                                     {.code = Opcode::Unlock, .object = 0}},
                                    {{.code = Opcode::Lock, .object = 1},
                                     {.code = Opcode::Lock, .object = 0},
                                     {.code = Opcode::Unlock, .object = 0},
                                     {.code = Opcode::Unlock, .object = 1}}});
    program.mutexes.resize(2);
    return program;
}

Program split_increment() {
    const std::vector<Instruction> increment{
        {.code = Opcode::Read, .object = 0, .reg = 0},
        {.code = Opcode::WriteRegister, .object = 0, .value = 1, .reg = 0}};
    Program program = with_threads({increment, increment});
    program.variables = {0};
    return program;
}

Program lost_signal() {
    Program program = with_threads(
        {{{.code = Opcode::Lock}, {.code = Opcode::Wait, .object = 0, .value = 0}, {.code = Opcode::Unlock}},
         {{.code = Opcode::Signal}}});
    program.mutexes.resize(1);
    program.conditions = 1;
    return program;
}

std::set<std::string> texts(std::initializer_list<const char*> all) { return {all.begin(), all.end()}; }

}  // namespace

TEST_CASE("fibers and brute force agree about every program of every family, at every bound") {
    std::size_t compared = 0;
    for (const Shape& shape : families()) {
        if (shape.has_endless_schedules()) {
            continue;  // too many, one by one
        }
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Program program = generate(seed, small(shape));
            const ModelOptions options{.explore_timeouts = seed % 2 == 0,
                                       .spurious_wakeups = seed % 3 == 0 ? 1U : 0U};
            const BruteForce brute(program, options);
            REQUIRE(brute.complete());
            if (brute.states() > 150) {
                continue;  // too many schedules
            }
            FiberExecution execution(to_fibers(program), options);
            const NaiveSearch naive(execution, {.runs = 2'000});
            if (!naive.complete()) {
                continue;
            }
            ++compared;
            INFO(shape.name, " ", seed, "\n", to_code(program));
            CHECK(difference(naive.outcomes(), brute.outcomes()) == "");
            const std::vector<Outcomes> within = brute.outcomes_within(3);
            for (std::size_t bound = 0; bound < within.size(); ++bound) {
                CHECK(difference(naive.outcomes_within()[bound], within[bound]) == "");
            }
        }
    }
    MESSAGE(compared, " programs compared");
    CHECK(compared > families().size() * 10);
}

TEST_CASE("two locks taken in opposite order deadlock with one preemption") {
    const BruteForce brute(opposite_locks());
    const auto cycle =
        texts({"cycle; T0.1 pthread_mutex_lock m1; T0.2 pthread_mutex_lock m0",
               "stuck; T0 pthread_join T0.1; T0.1 pthread_mutex_lock m1; T0.2 pthread_mutex_lock m0"});
    CHECK(brute.outcomes().final_states == texts({"; T0: 0 0 0 0; T0.1: 0 0 0 0; T0.2: 0 0 0 0"}));
    const std::vector<Outcomes> within = brute.outcomes_within(1);
    CHECK_FALSE(within[0].deadlock());
    CHECK(std::includes(within[1].deadlocks.begin(), within[1].deadlocks.end(), cycle.begin(), cycle.end()));
    CHECK(within[1].assertions.empty());
    CHECK(within[1].misuses.empty());
}

TEST_CASE("a split increment loses an update with one preemption") {
    const BruteForce brute(split_increment());
    const std::vector<Outcomes> within = brute.outcomes_within(1);
    CHECK(within[0].final_states == texts({"x0=2; T0: 0 0 0 0; T0.1: 0 0 0 0; T0.2: 1 0 0 0",
                                           "x0=2; T0: 0 0 0 0; T0.1: 1 0 0 0; T0.2: 0 0 0 0"}));
    CHECK(within[1].final_states == texts({"x0=1; T0: 0 0 0 0; T0.1: 0 0 0 0; T0.2: 0 0 0 0",
                                           "x0=2; T0: 0 0 0 0; T0.1: 0 0 0 0; T0.2: 1 0 0 0",
                                           "x0=2; T0: 0 0 0 0; T0.1: 1 0 0 0; T0.2: 0 0 0 0"}));
    CHECK(within[1] == brute.outcomes());
}

TEST_CASE("a signal sent before the wait is lost, without any preemption") {
    const BruteForce brute(lost_signal());
    CHECK(brute.outcomes().final_states.size() == 1);
    CHECK(brute.outcomes_within(0)[0].deadlocks ==
          texts({"stuck; T0 pthread_join T0.1; T0.1 return of cond_wait c0"}));
    const BruteForce with_spurious(lost_signal(), {.spurious_wakeups = 1});
    CHECK_FALSE(with_spurious.outcomes().deadlock());
}

TEST_CASE("timeouts fire only when nobody can run, unless they are explored") {
    Program program;
    program.mutexes.resize(1);
    program.semaphores = {0, 0};
    program.threads = {{{.code = Opcode::Create, .object = 1},
                        {.code = Opcode::SemWait},
                        {.code = Opcode::TimedLock, .object = 0, .reg = 0},
                        {.code = Opcode::JumpIfEqual, .value = 0, .reg = 0, .target = 5},
                        {.code = Opcode::Exit, .value = 7},
                        {.code = Opcode::Unlock}},
                       {{.code = Opcode::Lock}, {.code = Opcode::SemPost}, {.code = Opcode::Unlock}}};
    const auto got_it = texts({"; T0: 0 0 0 0; T0.1: 0 0 0 0"});
    CHECK(BruteForce(program).outcomes().final_states == got_it);
    CHECK(BruteForce(program, {.explore_timeouts = true}).outcomes().final_states ==
          texts({"; T0: 0 0 0 0; T0.1: 0 0 0 0", "exit 7"}));
    // Now the child holds the mutex for ever.
    program.threads[1].insert(program.threads[1].end() - 1, {.code = Opcode::SemWait, .object = 1});
    CHECK(BruteForce(program).outcomes().final_states == texts({"exit 7"}));
    CHECK_FALSE(BruteForce(program).outcomes().deadlock());
}

TEST_CASE("brute force says so when it meets its limit") {
    const BruteForce brute(split_increment(), {}, {.states = 10});
    CHECK_FALSE(brute.complete());
    CHECK(BruteForce(split_increment()).complete());
}

TEST_CASE("random programs are right, and use every instruction") {
    std::set<Opcode> used;
    std::size_t complete = 0;
    std::size_t programs = 0;
    for (const Shape& shape : families()) {
        CHECK(generate(7, shape) == generate(7, shape));
        CHECK_FALSE(generate(7, shape) == generate(8, shape));
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const Program program = generate(seed, shape);
            CHECK_FALSE(problem(program));
            for (const auto& code : program.threads) {
                for (const Instruction& instruction : code) {
                    used.insert(instruction.code);
                }
            }
            if (seed < 10) {
                ++programs;
                complete += BruteForce(program, {}, {.states = 50'000}).complete() ? 1U : 0U;
            }
        }
    }
    for (std::size_t code = 0; code < static_cast<std::size_t>(Opcode::Count_); ++code) {
        const auto opcode = static_cast<Opcode>(code);
        if (opcode != Opcode::Set && opcode != Opcode::Add) {  // for programs written by hand
            CHECK_MESSAGE(used.contains(opcode), code);
        }
    }
    CHECK(complete * 100 >= programs * 95);
}

TEST_CASE("wrong bytecode is told from right bytecode") {
    const auto problem_of = [](std::vector<Instruction> main) {
        Program program;
        program.mutexes.resize(1);
        program.conditions = 1;
        program.variables = {0};
        program.onces = 1;
        program.threads = {std::move(main), {}};
        return problem(program);
    };
    CHECK_FALSE(problem_of({{.code = Opcode::Create, .object = 1}, {.code = Opcode::Join, .object = 1}}));
    CHECK(problem_of({{.code = Opcode::Create, .object = 1}, {.code = Opcode::Create, .object = 1}}));
    CHECK(problem_of({{.code = Opcode::Create, .object = 2}}));
    CHECK(problem_of({{.code = Opcode::Lock, .object = 1}}));
    CHECK(problem_of({{.code = Opcode::Read, .object = 0}}));
    CHECK(problem_of({{.code = Opcode::Jump, .target = 0}}));
    CHECK(problem_of({{.code = Opcode::OnceDone, .object = 0}}));
    CHECK(problem_of({{.code = Opcode::OnceEnter, .object = 0, .target = 1}}));
    CHECK_FALSE(problem_of({{.code = Opcode::Read, .object = 0, .reg = 0},
                            {.code = Opcode::JumpIfNotEqual, .value = 0, .reg = 0, .target = 4},
                            {.code = Opcode::Wait, .object = 0, .value = 0},
                            {.code = Opcode::Jump, .target = 0}}));
    CHECK(problem_of({{.code = Opcode::Read, .object = 0, .reg = 0},
                      {.code = Opcode::JumpIfNotEqual, .value = 0, .reg = 0, .target = 3},
                      {.code = Opcode::Wait, .object = 0, .value = 0},
                      {.code = Opcode::Jump, .target = 0}}));
}

TEST_CASE("a program is printed as code for a test") {
    CHECK(to_code(lost_signal()) == R"(FiberProgram program{[](Api& api) {
    const Mutex m0 = api.mutex("m0");
    const Condition c0 = api.condition("c0");
    ThreadId t1;
    ThreadId t2;
    t1 = api.create([=, &api] {
        api.lock(m0);
        api.wait(c0, m0);
        api.unlock(m0);
    });
    t2 = api.create([=, &api] {
        api.signal(c0);
    });
    api.join(t1);
    api.join(t2);
}};
)");
}

TEST_CASE("a program is shrunk to what makes it wrong") {
    const auto can_deadlock_in_a_cycle = [](const Program& program) {
        const Outcomes outcomes = BruteForce(program, {}, {.states = 20'000}).outcomes();
        return std::any_of(outcomes.deadlocks.begin(), outcomes.deadlocks.end(), [](const std::string& text) {
            return text.starts_with("cycle") && text.find("join") == std::string::npos;
        });
    };
    std::size_t shrunk = 0;
    for (std::uint64_t seed = 0; seed < 100 && shrunk < 5; ++seed) {
        const Program program = generate(seed, family("nested locks"));
        if (can_deadlock_in_a_cycle(program)) {
            ++shrunk;
            const Program least = shrink(program, can_deadlock_in_a_cycle);
            INFO(to_code(least));
            std::size_t instructions = 0;
            for (const auto& code : least.threads) {
                instructions += code.size();
            }
            // Two locks in each of two threads, and the creation of one or both of them.
            CHECK(instructions == least.threads.size() + 3);
            CHECK(least.threads.size() <= 3);
            CHECK(least.mutexes.size() == 2);
            CHECK(least.variables.empty());
        }
    }
    CHECK(shrunk == 5);
}

}  // namespace coopcheck::testing
