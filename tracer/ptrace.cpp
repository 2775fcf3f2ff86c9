#include "tracer/ptrace.hpp"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

namespace coopcheck::tracer::ptrace {

namespace {

static_assert(static_cast<int>(Event::Fork) == PTRACE_EVENT_FORK);
static_assert(static_cast<int>(Event::Vfork) == PTRACE_EVENT_VFORK);
static_assert(static_cast<int>(Event::Clone) == PTRACE_EVENT_CLONE);
static_assert(static_cast<int>(Event::Exec) == PTRACE_EVENT_EXEC);
static_assert(static_cast<int>(Event::VforkDone) == PTRACE_EVENT_VFORK_DONE);
static_assert(static_cast<int>(Event::Exit) == PTRACE_EVENT_EXIT);
static_assert(static_cast<int>(Event::Seccomp) == PTRACE_EVENT_SECCOMP);
static_assert(static_cast<int>(Event::Stop) == PTRACE_EVENT_STOP);

/// The data and address arguments carry numbers as well as pointers, depending on the request.
template <typename Address, typename Data>
std::error_code request(__ptrace_request kind, ProcessId tracee, Address address, Data data) {
    if (::ptrace(kind, static_cast<pid_t>(tracee), address, data) == -1) return last_error();
    return {};
}

}  // namespace

std::error_code trace_me() { return request(PTRACE_TRACEME, ProcessId{0}, nullptr, nullptr); }

std::error_code set_options(ProcessId tracee, const Options& options) {
    unsigned long bits = 0;
    if (options.kill_on_tracer_exit) bits |= PTRACE_O_EXITKILL;
    if (options.seccomp_events) bits |= PTRACE_O_TRACESECCOMP;
    if (options.birth_events) bits |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    if (options.exec_events) bits |= PTRACE_O_TRACEEXEC;
    return request(PTRACE_SETOPTIONS, tracee, nullptr, bits);
}

Result<user_regs_struct> get_registers(ProcessId tracee) {
    user_regs_struct registers{};
    if (const auto error = request(PTRACE_GETREGS, tracee, nullptr, &registers)) return error;
    return registers;
}

std::error_code set_registers(ProcessId tracee, const user_regs_struct& registers) {
    return request(PTRACE_SETREGS, tracee, nullptr, &registers);
}

Result<std::size_t> get_extended_state(ProcessId tracee, std::span<std::byte> area) {
    iovec vector{area.data(), area.size()};
    if (const auto error = request(PTRACE_GETREGSET, tracee, NT_X86_XSTATE, &vector)) return error;
    return vector.iov_len;
}

std::error_code set_extended_state(ProcessId tracee, std::span<const std::byte> area) {
    iovec vector{const_cast<std::byte*>(area.data()), area.size()};
    return request(PTRACE_SETREGSET, tracee, NT_X86_XSTATE, &vector);
}

Result<std::uint64_t> get_signal_mask(ProcessId tracee) {
    std::uint64_t mask = 0;
    if (const auto error = request(PTRACE_GETSIGMASK, tracee, sizeof mask, &mask)) return error;
    return mask;
}

std::error_code set_signal_mask(ProcessId tracee, std::uint64_t mask) {
    return request(PTRACE_SETSIGMASK, tracee, sizeof mask, &mask);
}

Result<siginfo_t> get_signal_info(ProcessId tracee) {
    siginfo_t info{};
    if (const auto error = request(PTRACE_GETSIGINFO, tracee, nullptr, &info)) return error;
    return info;
}

std::error_code set_signal_info(ProcessId tracee, const siginfo_t& info) {
    return request(PTRACE_SETSIGINFO, tracee, nullptr, &info);
}

std::error_code write_word(ProcessId tracee, RemoteAddress address, std::uint64_t word) {
    return request(PTRACE_POKEDATA, tracee, static_cast<std::uint64_t>(address), word);
}

Result<std::uint64_t> get_event_message(ProcessId tracee) {
    unsigned long message = 0;
    if (const auto error = request(PTRACE_GETEVENTMSG, tracee, nullptr, &message)) return error;
    return std::uint64_t{message};
}

std::error_code cont(ProcessId tracee, int signal) {
    return request(PTRACE_CONT, tracee, nullptr, static_cast<long>(signal));
}

std::error_code single_step(ProcessId tracee, int signal) {
    return request(PTRACE_SINGLESTEP, tracee, nullptr, static_cast<long>(signal));
}

std::error_code detach(ProcessId tracee) { return request(PTRACE_DETACH, tracee, nullptr, nullptr); }

}  // namespace coopcheck::tracer::ptrace
