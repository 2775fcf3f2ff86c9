#pragma once

#include <sys/user.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "tracer/result.hpp"
#include "tracer/target_types.hpp"

/// The ptrace system call, one function for each request we use. Only ptrace.cpp sees <sys/ptrace.h>.
/// All but trace_me need a stopped tracee of the calling thread and fail with ESRCH when it is not one.
namespace coopcheck::tracer::ptrace {

/// What an event stop reports (PTRACE_EVENT_*).
enum class Event : int {
    Fork = 1,
    Vfork = 2,
    Clone = 3,
    Exec = 4,
    VforkDone = 5,
    Exit = 6,
    Seccomp = 7,
    Stop = 128,
};

struct Options {
    bool kill_on_tracer_exit = true;
    bool seccomp_events = false;
    /// Stop at fork, vfork and clone; the new process is traced from its first instruction on, with the same
    /// options.
    bool birth_events = false;
    bool exec_events = false;
};

/// In the child: from now on its parent traces it. Safe between fork and exec.
[[nodiscard]] std::error_code trace_me();

[[nodiscard]] std::error_code set_options(ProcessId tracee, const Options& options);

[[nodiscard]] Result<user_regs_struct> get_registers(ProcessId tracee);

[[nodiscard]] std::error_code set_registers(ProcessId tracee, const user_regs_struct& registers);

/// The XSAVE area: x87, SSE, AVX and what else the processor has. Returns how many bytes of `area` it fills.
[[nodiscard]] Result<std::size_t> get_extended_state(ProcessId tracee, std::span<std::byte> area);
[[nodiscard]] std::error_code set_extended_state(ProcessId tracee, std::span<const std::byte> area);

/// The blocked signals, bit n - 1 for signal n.
[[nodiscard]] Result<std::uint64_t> get_signal_mask(ProcessId tracee);
[[nodiscard]] std::error_code set_signal_mask(ProcessId tracee, std::uint64_t mask);

/// About the signal that the tracee is stopped with.
[[nodiscard]] Result<siginfo_t> get_signal_info(ProcessId tracee);
[[nodiscard]] std::error_code set_signal_info(ProcessId tracee, const siginfo_t& info);

/// Writes the eight bytes at `address`, whatever the protection of the page.
[[nodiscard]] std::error_code write_word(ProcessId tracee, RemoteAddress address, std::uint64_t word);

/// The number that belongs to the event stop the tracee is in, for example the data of a seccomp filter.
[[nodiscard]] Result<std::uint64_t> get_event_message(ProcessId tracee);

/// Lets the tracee run, delivering `signal` to it unless that is 0.
[[nodiscard]] std::error_code cont(ProcessId tracee, int signal = 0);

/// Lets the tracee run one instruction. With a signal that has a handler: up to the handler's first.
[[nodiscard]] std::error_code single_step(ProcessId tracee, int signal = 0);

/// Leaves the tracee to itself; it runs, unless a signal that is pending stops it.
[[nodiscard]] std::error_code detach(ProcessId tracee);

}  // namespace coopcheck::tracer::ptrace
