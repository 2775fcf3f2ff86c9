// Processes that the target makes: harmless, but not explored.
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"
#include "tracer/run.hpp"
#include "tracer/target_files.hpp"
#include "tracer/time_stamp.hpp"

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

void Run::refuse_shared_objects() const {
    std::ifstream maps("/proc/" + std::to_string(static_cast<pid_t>(process_.id())) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::array<char, 5> access{};
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &low, &high, access.data()) != 3)
            continue;
        constexpr std::size_t shared_or_private = 3;
        if (access[shared_or_private] != 's') continue;
        for (const auto& [key, object] : state_.objects) {
            constexpr std::uint64_t address_bits = (std::uint64_t{1} << 56U) - 1;  // the class is above
            const std::uint64_t address = key & address_bits;
            if (address >= low && address < high && state_.model.known(object)) {
                throw Error("The program starts a process that shares " +
                            session_->names.objects.name(object) +
                            " with it; coopcheck models synchronization inside one process only.");
            }
        }
    }
}

void Run::record_output_of(ProcessId child) {
    const auto stopped = ptrace::get_registers(child);
    if (!stopped) return;
    user_regs_struct registers = stopped.value();
    if (registers.orig_rax != SYS_write || registers.rdi < 1 || registers.rdi > 2) return;
    // What it inherited as its standard output and error leads nowhere; what it has put there itself does
    // not.
    const auto file = BorrowedFile::borrow(child, static_cast<int>(registers.rdi));
    if (!file || file.value()->description() != "/dev/null") return;
    constexpr std::uint64_t largest_transfer = std::uint64_t{64} << 20U;
    std::string text(std::min<std::uint64_t>(registers.rdx, largest_transfer), '\0');
    if (TargetMemory(child).read(RemoteAddress{registers.rsi}, std::as_writable_bytes(std::span(text))))
        return;
    state_.output[registers.rdi - 1] += text;
}

void Run::run_to_its_end(ProcessId child, bool shares_memory) {
    // Traced as its parent is: without a tracer the filter would let its system calls fail with ENOSYS. It is
    // the target's child, so its end is reported to the target too.
    ChildProcess process(child);
    refuse_shared_objects();
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
            } else if (event->event == ptrace::Event::Seccomp) {
                record_output_of(child);
            }
        } else if (const auto* stopped = std::get_if<Stopped>(&status)) {
            if (stopped->signal == SIGSTOP && session_->watchdog.has_barked()) {
                throw Error("A process that the program started did not end in " +
                            std::to_string(session_->watchdog.limit().count()) +
                            " ms; coopcheck waits for such processes and cannot go on.");
            }
            if (stopped->signal == SIGSEGV) {
                auto registers = ptrace::get_registers(child);
                user_regs_struct changed{};
                if (registers) changed = registers.value();
                if (registers && answer_time_stamp(changed, TargetMemory(child), state_.clock)) {
                    static_cast<void>(ptrace::set_registers(child, changed));
                    static_cast<void>(ptrace::cont(child));
                    continue;
                }
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
