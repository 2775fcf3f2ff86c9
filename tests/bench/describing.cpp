// What it costs to say in words where a thread stands. None of it may be needed for a step: compare with
// tracer.cpp.
#include <chrono>
#include <string>

#include "core/check.hpp"
#include "tests/bench/measure.hpp"
#include "tracer/run.hpp"
#include "tracer/source_lines.hpp"
#include "tracer/symbol_file.hpp"
#include "tracer/unwinder.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::bench;
using namespace coopcheck::tracer;

constexpr Effort again{.batches = 200, .calls_in_batch = 20};

template <typename Function>
void print_first(const char* title, Function&& function) {
    std::printf("%-44s %9.2f us\n", title, sample_us({.calls_in_batch = 1}, function));
}

void measure_symbols(const Module& libc, RemoteAddress place) {
    print_first("reading the symbols of the C library", [&] { SymbolFile file(libc.file->path()); });
    print("a symbol by its address",
          measure(again, [&] { COOPCHECK_CHECK(libc.file->function_at(place - libc.base), "no symbol"); }));
    print("a symbol by its name",
          measure(again, [&] { COOPCHECK_CHECK(libc.file->function("pthread_mutex_lock"), "no symbol"); }));
}

void measure_stack(const Run& run, const StackFrame& innermost) {
    Unwinder unwinder;
    const TargetMemory memory(run.process());
    int frames = 0;
    const auto walk = [&] {
        frames = 0;
        std::optional<StackFrame> frame = innermost;
        StackMemory stack(memory, innermost.stack_pointer);
        for (; frame; frame = unwinder.caller(*frame, run.state().loaded->modules, stack)) frames += 1;
    };
    print_first("a stack, the first time", walk);
    print(("a stack again, of " + std::to_string(frames) + " frames").c_str(), measure(again, walk));
}

void measure_source_line(const Run& run, RemoteAddress place) {
    SourceLines lines;
    const auto describe = [&] {
        COOPCHECK_CHECK(!lines.describe(place, run.state().loaded->modules).empty(), "no description");
    };
    print_first("a source line, the first of a file", describe);
    print("a source line again", measure(again, describe));
}

}  // namespace

int main() {
    Session session({.program = COOPCHECK_TARGETS_FOLDER "/endless_prints", .input = ""}, {},
                    std::chrono::seconds(1));
    Run run(session);
    static_cast<void>(run.step(main_thread, Variant::normal()));
    // Deep in the C library, about to write.
    const user_regs_struct& registers = run.state().threads.front().registers;
    const RemoteAddress here{registers.rip};
    const Module* libc = run.state().loaded->modules.find(here);
    COOPCHECK_CHECK(libc != nullptr, "the program is not in the C library");
    measure_symbols(*libc, here);
    measure_stack(run, {here, registers.rsp, registers.rbp});
    measure_source_line(run, RemoteAddress{run.state().parked.front().operation.site});
    return 0;
}
