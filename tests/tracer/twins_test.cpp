#include "tests/tracer/twins.hpp"

#include <doctest/doctest.h>

#include "tests/support/fiber_execution.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;
using namespace coopcheck::testing;

TEST_CASE("a program has the same schedules and findings on fibers and as a process") {
    TwinComparison total;
    for (const Shape& shape : twin_shapes()) {
        CAPTURE(shape.name);
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            const TwinComparison one = compare_twins(generate(seed, shape), shape, target("interpreter"));
            total.add(one);
            CHECK_MESSAGE(one.difference.empty(), one.difference);
        }
    }
    // Something was compared.
    CHECK(total.searches >= 100);
    CHECK(total.ambiguous < total.searches / 10);
    CHECK(total.paths > total.searches);
    CHECK(total.findings > 0);
}

TEST_CASE("the comparison of twins notices one operation more, and another object") {
    const auto in_process = [](const Program& program) {
        TracedExecution execution(
            {.program = target("interpreter"), .arguments = {to_text(program)}, .input = ""}, {});
        return see_schedules_without_data(execution, twin_searches().front().options);
    };
    Program program;
    program.mutexes.resize(2);
    const testing::Instruction lock{.code = Opcode::Lock, .object = 0};
    const testing::Instruction unlock{.code = Opcode::Unlock, .object = 0};
    program.threads = {{{.code = Opcode::Create, .object = 1}, lock, unlock}, {lock, unlock}};
    FiberExecution fibers(to_fibers(program), {});
    const SeenSchedules expected = see_schedules_without_data(fibers, twin_searches().front().options);
    CHECK(in_process(program) == expected);

    Program longer = program;
    longer.threads[1].push_back({.code = Opcode::Yield});
    CHECK_FALSE(in_process(longer) == expected);
    Program other = program;
    other.threads[1][0].object = other.threads[1][1].object = 1;
    CHECK_FALSE(in_process(other) == expected);
}

TEST_CASE("a cancelled thread stops at its sleep") {
    // libc acts on a request to cancel before it makes the system call: the sleep must be an operation all
    // the same.
    Program program;
    program.threads = {{{.code = Opcode::Create, .object = 1}, {.code = Opcode::Cancel, .object = 1}},
                       {{.code = Opcode::Sleep}}};
    TracedExecution execution(
        {.program = target("interpreter"), .arguments = {to_text(program)}, .input = ""}, {});
    execution.restart();
    const ThreadId child = execution.parked_thread(main_thread).operation.thread;
    execution.step(main_thread, Variant::normal());
    execution.step(main_thread, Variant::normal());
    execution.step(child, Variant::normal());
    REQUIRE(execution.parked_thread(child).operation.kind == OpKind::Sleep);
    CHECK(execution.model().options(child, execution.parked_thread(child).operation) ==
          std::vector{Variant::cancel()});
    execution.step(child, Variant::cancel());
    CHECK(execution.parked_thread(child).operation.kind == OpKind::ThreadExit);
}
