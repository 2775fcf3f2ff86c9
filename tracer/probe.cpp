#include "tracer/probe.hpp"

#include <seccomp.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <system_error>

#include "core/error.hpp"
#include "tracer/child_process.hpp"
#include "tracer/ptrace.hpp"
#include "tracer/restrictions.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

namespace {

ProbeResult works(std::string name, std::string detail) {
    return {std::move(name), true, std::move(detail), ""};
}

bool is_refusal(std::error_code error) {
    return error == std::errc::operation_not_permitted || error == std::errc::permission_denied;
}

ProbeResult fails(std::string name, const std::string& what, std::error_code error, const Refusal& refusal) {
    const std::string detail = what + ": " + error.message();
    if (is_refusal(error)) return {std::move(name), false, detail + ", " + refusal.reason, refusal.remedy};
    return {std::move(name), false, detail, "use a Linux kernel that offers it (4.8 or later)"};
}

ProbeResult fails_ptrace(std::string name, const std::string& what, std::error_code error) {
    return fails(std::move(name), what, error, explain_ptrace_refusal(read_restrictions()));
}

std::error_code error_of(int number) { return {number, std::generic_category()}; }

/// The children below exit with the errno of the call that failed. What `status` means if the child should
/// have been in another state by now.
std::error_code error_of(const WaitStatus& status) {
    const auto* exited = std::get_if<Exited>(&status);
    return exited && exited->code != 0 ? error_of(exited->code)
                                       : std::make_error_code(std::errc::protocol_error);
}

class SeccompFilter {
  public:
    /// A filter that lets everything pass but stops at `system_call` with `data` as the event's message.
    SeccompFilter(int system_call, std::uint16_t data)
        : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {
        if (!context_ || seccomp_rule_add(context_.get(), SCMP_ACT_TRACE(data), system_call, 0) != 0) {
            throw Error("Cannot build a seccomp filter; check that libseccomp knows this architecture.");
        }
    }

    /// Puts the filter in force for this process. Returns an errno, 0 for success.
    [[nodiscard]] int load() const { return -seccomp_load(context_.get()); }

  private:
    std::unique_ptr<void, decltype(&seccomp_release)> context_;
};

/// In the child: lets the parent trace it and stops, so that the parent can set options. Returns an errno.
int stop_for_tracer() {
    if (const auto error = ptrace::trace_me()) return error.value();
    std::raise(SIGSTOP);
    return 0;
}

}  // namespace

ProbeResult probe_architecture() {
    utsname machine{};
    if (::uname(&machine) != 0) return fails("architecture", "uname", last_error(), {});
    const std::string name = machine.machine;
    if (name == "x86_64") return works("architecture", "x86-64, Linux " + std::string(machine.release));
    return {"architecture", false, "this machine is " + name, "use an x86-64 machine"};
}

ProbeResult probe_ptrace() {
    constexpr std::uint64_t written_by_tracer = 0x636f6f70;
    const std::string name = "ptrace";
    // In the same place in both processes, as the child is a copy.
    volatile std::uint64_t word = 0;
    ChildProcess child([&word] {
        if (const int error = stop_for_tracer()) return error;
        if (word != written_by_tracer) return EIO;
        std::raise(SIGTRAP);
        return EIO;
    });

    if (const WaitStatus status = child.wait(); status != WaitStatus(Stopped{SIGSTOP})) {
        return fails_ptrace(name, "tracing a child process", error_of(status));
    }
    if (const auto error = ptrace::set_options(child.id(), {})) {
        return fails_ptrace(name, "setting options of a traced process", error);
    }
    if (const auto registers = ptrace::get_registers(child.id()); !registers) {
        return fails_ptrace(name, "reading registers of a traced process", registers.error());
    }
    const auto address = RemoteAddress{reinterpret_cast<std::uint64_t>(&word)};
    if (const auto error = ptrace::write_word(child.id(), address, written_by_tracer)) {
        return fails_ptrace(name, "writing memory of a traced process", error);
    }
    if (const auto error = ptrace::cont(child.id())) {
        return fails_ptrace(name, "continuing a traced process", error);
    }
    if (const WaitStatus status = child.wait(); status != WaitStatus(Stopped{SIGTRAP})) {
        return fails_ptrace(name, "seeing what was written to a traced process", error_of(status));
    }
    if (const WaitStatus status = child.kill_and_reap(); status != WaitStatus(Signalled{SIGKILL})) {
        return fails_ptrace(name, "killing a traced process", error_of(status));
    }
    return works(name, "traced a child process, read its registers, wrote its memory, killed it");
}

ProbeResult probe_fixed_addresses() {
    const std::string name = "fixed addresses";
    ChildProcess child([] {
        constexpr unsigned long only_ask = 0xffffffff;
        const int current = ::personality(only_ask);
        if (current == -1) return errno;
        const auto wanted = static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE;
        if (::personality(wanted) == -1) return errno;
        return ::personality(only_ask) == static_cast<int>(wanted) ? 0 : ENOTSUP;
    });
    const WaitStatus status = child.wait();
    if (status == WaitStatus(Exited{0})) return works(name, "personality(ADDR_NO_RANDOMIZE) is allowed");
    return fails(name, "personality(ADDR_NO_RANDOMIZE)", error_of(status),
                 explain_refusal(read_restrictions()));
}

ProbeResult probe_seccomp() {
    constexpr std::uint16_t filter_data = 0x5ec;
    const std::string name = "seccomp";
    const SeccompFilter filter(SCMP_SYS(getppid), filter_data);
    ChildProcess child([&filter] {
        if (const int error = stop_for_tracer()) return error;
        if (const int error = filter.load()) return error;
        ::syscall(SYS_getppid);
        return ENOTSUP;
    });

    if (const WaitStatus status = child.wait(); status != WaitStatus(Stopped{SIGSTOP})) {
        return fails_ptrace(name, "tracing a child process", error_of(status));
    }
    if (const auto error = ptrace::set_options(child.id(), {.seccomp_events = true})) {
        return fails_ptrace(name, "asking for seccomp events", error);
    }
    if (const auto error = ptrace::cont(child.id())) {
        return fails_ptrace(name, "continuing a traced process", error);
    }
    if (const WaitStatus status = child.wait(); status != WaitStatus(EventStop{ptrace::Event::Seccomp})) {
        return fails(name, "stopping a traced process at a system call by a filter", error_of(status),
                     explain_refusal(read_restrictions()));
    }
    const auto message = ptrace::get_event_message(child.id());
    if (!message || message.value() != filter_data) {
        return fails_ptrace(name, "reading what a filter reports", message.error());
    }
    return works(name, "a filter stopped a traced process at a system call");
}

std::vector<ProbeResult> probe_machine() {
    return {probe_architecture(), probe_ptrace(), probe_fixed_addresses(), probe_seccomp()};
}

}  // namespace coopcheck::tracer
