// How fast the things are that the search is proved with.
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "tests/support/brute_force.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::testing;

class Clock {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The next enabled thread after the last one, in turn.
void run_round_robin(FiberExecution& execution) {
    execution.restart();
    std::size_t turn = 0;
    while (!execution.parked().empty()) {
        const auto parked = execution.parked();
        const ParkedThread next = parked[turn++ % parked.size()];
        if (execution.model().enabled(next.thread, next.operation)) {
            execution.step(next.thread, Variant::normal());
        }
    }
}

void measure_runs(const char* title, const FiberProgram& program) {
    constexpr int runs = 100'000;
    FiberExecution execution(program);
    const Clock clock;
    for (int run = 0; run < runs; ++run) {
        run_round_robin(execution);
    }
    const double seconds = clock.seconds();
    std::printf("%-28s %9.0f runs/s %10.0f steps/s\n", title, runs / seconds,
                static_cast<double>(execution.steps_executed()) / seconds);
}

void measure_brute_force() {
    std::size_t states = 0;
    std::size_t transitions = 0;
    const Clock clock;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const BruteForce brute(generate(seed, family("locks")));
        states += brute.states();
        transitions += brute.transitions();
    }
    const double seconds = clock.seconds();
    std::printf("%-28s %9.0f states/s %8.0f transitions/s\n", "brute force",
                static_cast<double>(states) / seconds, static_cast<double>(transitions) / seconds);
}

}  // namespace

int main() {
    measure_runs("2 threads x 2 lock/unlock", {[](Api& api) {
                     const Mutex mutex = api.mutex("m");
                     const auto body = [&api, mutex] {
                         for (int round = 0; round < 2; ++round) {
                             api.lock(mutex);
                             api.unlock(mutex);
                         }
                     };
                     const ThreadId first = api.create(body);
                     const ThreadId second = api.create(body);
                     api.join(first);
                     api.join(second);
                 }});
    Program program;
    program.mutexes.resize(1);
    const Instruction lock{.code = Opcode::Lock};
    const Instruction unlock{.code = Opcode::Unlock};
    program.threads = {{{.code = Opcode::Create, .object = 1},
                        {.code = Opcode::Create, .object = 2},
                        {.code = Opcode::Join, .object = 1},
                        {.code = Opcode::Join, .object = 2}},
                       {lock, unlock, lock, unlock},
                       {lock, unlock, lock, unlock}};
    measure_runs("the same as bytecode", to_fibers(program));
    measure_brute_force();
    return 0;
}
