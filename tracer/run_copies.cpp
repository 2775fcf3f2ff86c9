// Copies of a run: checkpoints.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "tracer/must.hpp"
#include "tracer/open_files.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

std::optional<Run> Run::make_checkpoint() {
    std::optional<Run> checkpoint = copy();
    if (checkpoint && state_.has_files) checkpoint->state_.file_offsets = read_file_offsets(process_.id());
    return checkpoint;
}

std::optional<Run> Run::resume_checkpoint() {
    std::optional<Run> run = copy();
    if (!run) return run;
    for (const auto& [file, offset] : std::exchange(run->state_.file_offsets, {})) {
        // Copies of a process share its open files with all other copies, which have moved on since.
        run->call_in_target(SYS_lseek, static_cast<std::uint64_t>(file), static_cast<std::uint64_t>(offset),
                            SEEK_SET);
    }
    return run;
}

std::optional<Run> Run::copy() {
    COOPCHECK_CHECK(can_be_copied(), "a copy of a run that has ended");
    const ProcessId process = process_.id();
    user_regs_struct call = state_.threads[state_.current].registers;
    call.rip = number(scratch::system_call);
    call.orig_rax = ~0ULL;
    call.rax = SYS_clone;
    // CLONE_PARENT: the copy is our child, not the target's, so that reaping it leaves no zombie behind and
    // the target gets no SIGCHLD.
    call.rdi = CLONE_PARENT;
    call.rsi = call.rdx = call.r10 = call.r8 = 0;
    must(ptrace::set_registers(process, call));
    ProcessId copy{0};
    for (;;) {
        must(ptrace::cont(process));
        const WaitStatus status = process_.wait();
        if (status == WaitStatus(EventStop{ptrace::Event::Clone})) {
            const auto message = ptrace::get_event_message(process);
            must(message.error());
            copy = ProcessId{static_cast<pid_t>(message.value())};
        } else if (status == WaitStatus(Stopped{SIGTRAP})) {
            break;
        } else if (const auto* stopped = std::get_if<Stopped>(&status)) {
            keep_signal(state_.threads[state_.current], stopped->signal);
        } else {
            throw Error("The program was killed from outside while a checkpoint was being made.");
        }
    }
    if (copy == ProcessId{0}) return std::nullopt;
    ChildProcess child(copy);
    // A new tracee starts with a SIGSTOP, which is dropped when it is continued without a signal.
    if (child.wait() != WaitStatus(Stopped{SIGSTOP})) {
        throw Error("The copy of the program was killed from outside.");
    }
    return Run(*session_, std::move(child), state_);
}

}  // namespace coopcheck::tracer
