// Processes that the target makes: harmless, but not explored.
#include <sys/syscall.h>

#include <csignal>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer {

Run::Next Run::on_fork(ptrace::Event event) {
    if (!session_->told_about_fork) {
        session_->told_about_fork = true;
        log::warning(
            "The program starts other processes. They run to their end when they are made and are not "
            "explored.");
    }
    const auto message = ptrace::get_event_message(process_.id());
    if (!message) throw Error("The program was killed from outside while it made a process.");
    run_to_its_end(ProcessId{static_cast<pid_t>(message.value())}, event == ptrace::Event::Vfork);
    return Next::Resume;
}

void Run::run_to_its_end(ProcessId child, bool shares_memory) {
    // Traced as its parent is: without a tracer the filter would let its system calls fail with ENOSYS. It is
    // the target's child, so its end is reported to the target too.
    ChildProcess process(child);
    bool is_first_stop = true;
    int deliver = 0;
    for (;;) {
        session_->watchdog.wait_begins(child);
        const WaitStatus status = process.wait();
        session_->watchdog.wait_ends();
        if (is_end(status)) return;
        if (const auto* event = std::get_if<EventStop>(&status)) {
            if (event->event == ptrace::Event::Fork || event->event == ptrace::Event::Vfork ||
                event->event == ptrace::Event::Clone) {
                const auto grandchild = ptrace::get_event_message(child);
                if (grandchild) {
                    run_to_its_end(ProcessId{static_cast<pid_t>(grandchild.value())},
                                   shares_memory || event->event == ptrace::Event::Vfork);
                }
            }
        } else if (const auto* stopped = std::get_if<Stopped>(&status)) {
            if (stopped->signal == SIGSTOP && session_->watchdog.has_barked()) {
                throw Error("A process that the program started did not end in " +
                            std::to_string(session_->watchdog.limit().count()) +
                            " ms; coopcheck waits for such processes and cannot go on.");
            }
            // The first stop is that of a new tracee; the breakpoints in its copy of the memory must go.
            if (is_first_stop && !shares_memory) state_.loaded->breakpoints.remove_all(TargetMemory(child));
            deliver = is_first_stop || stopped->signal == SIGSTOP ? 0 : stopped->signal;
            is_first_stop = false;
        }
        if (ptrace::cont(child, std::exchange(deliver, 0))) continue;  // killed: the next wait says so
    }
}

}  // namespace coopcheck::tracer
