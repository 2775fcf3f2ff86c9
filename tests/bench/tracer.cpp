// What the tracer costs beside the bare mechanisms of the kernel that it is made of.
#include <sched.h>
#include <sys/syscall.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/bench/bare_process.hpp"
#include "tests/bench/measure.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"
#include "tracer/traced_execution.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::bench;
using namespace coopcheck::tracer;

LaunchOptions lock_rounds(int threads) {
    return {.program = COOPCHECK_TARGETS_FOLDER "/lock_rounds",
            .arguments = {std::to_string(threads), "1000000000", "own"},
            .input = ""};
}

/// Runs main until it waits for the others, and each of them to its first operation. Works for an execution
/// and for a run.
template <typename Steppable, typename Parked>
void start_threads(Steppable& program, const Parked& parked) {
    const auto step_first = [&](OpKind kind) {
        for (const ParkedThread& entry : parked()) {
            if (entry.operation.kind != kind) continue;
            static_cast<void>(program.step(entry.thread, Variant::normal()));
            return true;
        }
        return false;
    };
    while (step_first(OpKind::ThreadCreate)) {
    }
    while (step_first(OpKind::ThreadStart)) {
    }
}

void start_threads(TracedExecution& execution) {
    execution.restart();
    start_threads(execution, [&] { return execution.parked(); });
}

std::vector<ThreadId> workers(std::span<const ParkedThread> parked) {
    std::vector<ThreadId> all;
    for (const ParkedThread& entry : parked) {
        if (entry.thread != main_thread) all.push_back(entry.thread);
    }
    return all;
}

void measure_step() {
    TracedExecution execution(lock_rounds(1), {.checkpoints = CheckpointPolicy::None});
    start_threads(execution);
    const ThreadId worker = workers(execution.parked()).front();
    BareLoop bare;
    print("an operation, no switch",
          compare(
              {}, [&] { execution.step(worker, Variant::normal()); }, [&] { bare.stop(); }),
          1.6);
}

void measure_switch() {
    TracedExecution execution(lock_rounds(2), {.checkpoints = CheckpointPolicy::None});
    start_threads(execution);
    const std::vector<ThreadId> all = workers(execution.parked());
    BareLoop bare;
    std::size_t turn = 0;
    print("an operation with a switch",
          compare(
              {}, [&] { execution.step(all[turn++ % all.size()], Variant::normal()); },
              [&] { bare.stop_with_extended_state(); }),
          1.5);
}

void measure_library_operation() {
    TracedExecution execution({.program = COOPCHECK_TARGETS_FOLDER "/endless_prints", .input = ""},
                              {.checkpoints = CheckpointPolicy::None});
    execution.restart();
    print("an operation deep in a library (fputs)", measure({.batches = 500, .calls_in_batch = 10}, [&] {
              execution.step(main_thread, Variant::normal());
          }));
}

/// A fork made by the process itself, as a checkpoint makes it, and nothing else.
ChildProcess bare_fork(ProcessId process, const user_regs_struct& call) {
    must(ptrace::set_registers(process, call));
    must(ptrace::cont(process));
    COOPCHECK_CHECK(wait_for(process) == WaitStatus(EventStop{ptrace::Event::Clone}), "no clone");
    const auto copy = ptrace::get_event_message(process);
    must(copy.error());
    must(ptrace::cont(process));
    COOPCHECK_CHECK(wait_for(process) == WaitStatus(Stopped{SIGTRAP}), "no return from clone");
    ChildProcess child(ProcessId{static_cast<pid_t>(copy.value())});
    COOPCHECK_CHECK(child.wait() == WaitStatus(Stopped{SIGSTOP}), "the copy does not stop");
    return child;
}

user_regs_struct fork_call(ProcessId process) {
    const auto registers = ptrace::get_registers(process);
    must(registers.error());
    user_regs_struct call = registers.value();
    call.rip = number(scratch::system_call);
    call.orig_rax = ~0ULL;
    call.rax = SYS_clone;
    call.rdi = CLONE_PARENT;
    call.rsi = call.rdx = call.r10 = call.r8 = 0;
    return call;
}

void measure_checkpoint(int threads) {
    Session session(lock_rounds(threads), {}, std::chrono::seconds(1));
    Run run(session);
    start_threads(run, [&] { return std::span(run.state().parked); });
    const user_regs_struct call = fork_call(run.process());
    const std::string subject = " of " + std::to_string(threads) + " threads";
    {
        std::vector<double> ours;
        std::vector<double> bare;
        for (int round = 0; round < 500; ++round) {
            double before = now_us();
            const std::optional<Run> checkpoint = run.make_checkpoint();
            ours.push_back(now_us() - before);
            COOPCHECK_CHECK(checkpoint, "no checkpoint");
            before = now_us();
            const ChildProcess copy = bare_fork(run.process(), call);
            bare.push_back(now_us() - before);
        }
        print(("a checkpoint" + subject).c_str(), Comparison{timing_of(ours), timing_of(bare)}, 1.5);
    }
    print(("a checkpoint" + subject + ", made and dropped").c_str(),
          compare(
              {.batches = 500, .calls_in_batch = 1}, [&] { static_cast<void>(run.make_checkpoint()); },
              [&] { static_cast<void>(bare_fork(run.process(), call)); }),
          1.5);
}

}  // namespace

int main() {
    try {
        measure_step();
        measure_switch();
        measure_library_operation();
        measure_checkpoint(2);
        measure_checkpoint(32);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
