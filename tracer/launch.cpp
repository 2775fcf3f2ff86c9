#include "tracer/launch.hpp"

#include <elf.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <span>
#include <string_view>

#include "core/error.hpp"
#include "tracer/launch_failure.hpp"
#include "tracer/ptrace.hpp"
#include "tracer/restrictions.hpp"
#include "tracer/scratch.hpp"
#include "tracer/target_memory.hpp"

namespace coopcheck::tracer {

namespace {

using Failure = LaunchFailure;

[[noreturn]] void explain(const Failure& failure, const LaunchOptions& options) {
    const std::string reason = std::error_code(failure.error, std::generic_category()).message();
    const auto refused = [&](const std::string& what, const Refusal& refusal) {
        return Error("Cannot " + what + ": " + reason + ", " + refusal.reason + "; " + refusal.remedy + ".");
    };
    switch (failure.step) {
        case Failure::Step::Trace:
            throw refused("trace the program", explain_ptrace_refusal(read_restrictions()));
        case Failure::Step::FixAddresses:
            throw refused("switch address randomization off", explain_refusal(read_restrictions()));
        case Failure::Step::Folder:
            throw Error("Cannot work in the folder '" + options.working_directory + "': " + reason + ".");
        case Failure::Step::Filter:
            throw refused("install a seccomp filter", explain_refusal(read_restrictions()));
        case Failure::Step::Exec:
            if (failure.error == ENOENT) {
                throw Error(
                    "Cannot run '" + options.program +
                    "': its dynamic linker (readelf -l shows it as interpreter) does not exist here.");
            }
            break;
    }
    throw Error("Cannot run '" + options.program + "': " + reason + ".");
}

void set_variable(std::vector<std::string>& environment, std::string_view name, const std::string& value,
                  char append_with) {
    const std::string start = std::string(name) + "=";
    for (std::string& entry : environment) {
        if (!entry.starts_with(start)) continue;
        entry = append_with != 0 && entry.size() > start.size() ? entry + append_with + value : start + value;
        return;
    }
    environment.push_back(start + value);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
}

[[noreturn]] void lost(std::error_code error) {
    throw Error("The program was killed from outside while it was being started (" + error.message() + ").");
}

void must(std::error_code error) {
    if (error) lost(error);
}

/// The next stop that is none of the filter's: it is in force already, for the mapping of our page and for
/// what the child has to tell when it cannot execute the program.
WaitStatus continue_through_filter(ChildProcess& process) {
    for (;;) {
        must(ptrace::cont(process.id()));
        const WaitStatus status = process.wait();
        if (status != WaitStatus(EventStop{ptrace::Event::Seccomp})) return status;
    }
}

/// The kernel puts argc, argv, envp and the auxiliary vector on the stack of a new program. Reads where
/// things are and, unless the program is to run freely, takes out of it what would make two runs differ.
void prepare_stack(const TargetMemory& memory, RemoteAddress stack, Launched& launched, bool free) {
    RemoteAddress at = stack + 8 * (memory.read_value<std::uint64_t>(stack).value() + 2);
    while (memory.read_value<std::uint64_t>(at).value() != 0) at = at + 8;
    at = at + 8;
    for (;; at = at + sizeof(Elf64_auxv_t)) {
        const auto entry = memory.read_value<Elf64_auxv_t>(at).value();
        switch (entry.a_type) {
            case AT_NULL:
                return;
            case AT_SYSINFO_EHDR:
                // Without the vDSO libc asks for the time by system calls, which the filter sees.
                if (!free) must(memory.write_value(at, Elf64_auxv_t{AT_IGNORE, {0}}));
                break;
            case AT_RANDOM: {
                // libc makes the stack protector's canary and the pointer guard of these.
                constexpr std::array<std::uint64_t, 2> fixed{0x0123456789abcd00, 0xfedcba9876543210};
                if (!free) must(memory.write_value(RemoteAddress{entry.a_un.a_val}, fixed));
                break;
            }
            case AT_ENTRY:
                launched.entry = RemoteAddress{entry.a_un.a_val};
                break;
            case AT_PHDR:
                launched.program_headers = RemoteAddress{entry.a_un.a_val};
                break;
            case AT_BASE:
                launched.loader = RemoteAddress{entry.a_un.a_val};
                break;
            default:
                break;
        }
    }
}

/// Maps the scratch page by a system call borrowed from the place where the program stands.
void map_scratch_page(ChildProcess& process, const TargetMemory& memory) {
    // At the exec event execve has not returned yet and will overwrite rax with its result, so the number of
    // the system call has to be loaded by an instruction.
    static_assert(SYS_mmap == 9);
    constexpr std::array<std::byte, 8> code{std::byte{0xb8}, std::byte{9},   std::byte{0},
                                            std::byte{0},    std::byte{0},   std::byte{0x0f},
                                            std::byte{0x05}, std::byte{0xcc}};  // mov; syscall; int3
    const auto registers = ptrace::get_registers(process.id());
    if (!registers) lost(registers.error());
    const RemoteAddress here{registers.value().rip};
    std::array<std::byte, code.size()> original{};
    must(memory.read(here, original));
    must(memory.write_code(here, code));
    user_regs_struct call = registers.value();
    call.orig_rax = ~0ULL;
    call.rdi = number(scratch::page);
    call.rsi = scratch::size;
    call.rdx = PROT_READ | PROT_WRITE | PROT_EXEC;
    call.r10 = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    call.r8 = ~0ULL;
    call.r9 = 0;
    must(ptrace::set_registers(process.id(), call));
    const WaitStatus status = continue_through_filter(process);
    const auto after = ptrace::get_registers(process.id());
    if (status != WaitStatus(Stopped{SIGTRAP}) || !after || after.value().rax != number(scratch::page)) {
        throw Error("Cannot map a page of our own into the program; check the limits on memory (ulimit -v).");
    }
    must(memory.write_code(here, original));
    user_regs_struct restored = registers.value();
    restored.orig_rax = ~0ULL;
    must(ptrace::set_registers(process.id(), restored));
    must(memory.write(scratch::system_call, std::span(code).last(3)));
}

/// From now on reading the time stamp counter is a segmentation fault: see time_stamp.hpp.
void forbid_time_stamps(ChildProcess& process) {
    const auto registers = ptrace::get_registers(process.id());
    if (!registers) lost(registers.error());
    user_regs_struct call = registers.value();
    call.rip = number(scratch::system_call);
    call.rax = SYS_prctl;
    call.rdi = PR_SET_TSC;
    call.rsi = PR_TSC_SIGSEGV;
    must(ptrace::set_registers(process.id(), call));
    // If the kernel cannot do it, time stamps are what they are: a program that prints them differs from run
    // to run.
    if (continue_through_filter(process) != WaitStatus(Stopped{SIGTRAP}))
        lost(std::make_error_code(std::errc::no_such_process));
    must(ptrace::set_registers(process.id(), registers.value()));
}

}  // namespace

Launcher::Launcher(LaunchOptions options)
    : options_(std::move(options)),
      program_(options_.program),
      filter_(SECCOMP_RET_TRACE),
      filter_all_(SECCOMP_RET_TRACE, StopAt::EverySystemCall) {
    arguments_.push_back(options_.program);
    arguments_.insert(arguments_.end(), options_.arguments.begin(), options_.arguments.end());
    if (options_.environment) {
        environment_ = *options_.environment;
    } else {
        for (char** entry = environ; *entry != nullptr; ++entry) environment_.emplace_back(*entry);
    }
    // rseq registers memory of one kernel thread with the kernel, which would write there for all virtual
    // threads.
    set_variable(environment_, "GLIBC_TUNABLES", "glibc.pthread.rseq=0", ':');
    // LeakSanitizer stops the program with ptrace at exit, which one that is traced already cannot be.
    set_variable(environment_, "ASAN_OPTIONS", "detect_leaks=0", ':');
    set_variable(environment_, "LSAN_OPTIONS", "detect_leaks=0", ':');
    // libgomp looks for work in a loop, some hundred thousand times, before it waits in the kernel.
    set_variable(environment_, "GOMP_SPINCOUNT", "0", 0);
    set_variable(environment_, "COOPCHECK", "1", 0);
}

int Launcher::run_child(int failure_pipe, const SystemCallFilter& filter) const {
    const int failed = prepare_child(failure_pipe, true);
    if (failed != 0) return failed;
    // What goes through 0, 1 and 2 is answered by us. They are no terminals, whatever ours are, so that the
    // program's buffering is always the same.
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int file : {0, 1, 2}) ::dup2(nowhere, file);
    if (nowhere > 2) ::close(nowhere);
    return execute(failure_pipe, Tracing::Controlled, &filter);
}

int Launcher::run_free_child(int failure_pipe, const FreeSurroundings& surroundings, bool traced) const {
    // Addresses are fixed only where objects are named by them.
    const int failed = prepare_child(failure_pipe, traced);
    if (failed != 0) return failed;
    // A machine that does not allow it has less parallelism, not other results.
    static_cast<void>(::sched_setaffinity(0, sizeof surroundings.cpus, &surroundings.cpus));
    static_cast<void>(::sigprocmask(SIG_SETMASK, &surroundings.signal_mask, nullptr));
    for (const int file : {0, 1, 2}) ::dup2(surroundings.files[static_cast<std::size_t>(file)], file);
    return execute(failure_pipe, traced ? Tracing::Free : Tracing::None, nullptr);
}

int Launcher::prepare_child(int failure_pipe, bool fix_addresses) const {
    constexpr unsigned long only_ask = 0xffffffff;
    const int persona = fix_addresses ? ::personality(only_ask) : 0;
    if (fix_addresses &&
        (persona == -1 || ::personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) == -1)) {
        return tell_failure(failure_pipe, {Failure::Step::FixAddresses, errno});
    }
    // In a group of its own the program does not get the Ctrl-C that is meant for us.
    static_cast<void>(::setpgid(0, 0));
    if (!options_.working_directory.empty() && ::chdir(options_.working_directory.c_str()) != 0) {
        return tell_failure(failure_pipe, {Failure::Step::Folder, errno});
    }
    return 0;
}

int Launcher::execute(int failure_pipe, Tracing tracing, const SystemCallFilter* filter) const {
    // It does not inherit files that happen to be open here.
    constexpr unsigned first = 3;
    static_cast<void>(::close_range(first, ~0U, CLOSE_RANGE_CLOEXEC));
    if (tracing != Tracing::None) {
        if (const auto error = ptrace::trace_me())
            return tell_failure(failure_pipe, {Failure::Step::Trace, error.value()});
        std::raise(SIGSTOP);
    }
    const auto arguments = pointers(arguments_);
    const auto environment = pointers(environment_);
    if (filter != nullptr) {
        if (const int error = filter->load())
            return tell_failure(failure_pipe, {Failure::Step::Filter, error});
    }
    ::execve(program_.path().c_str(), arguments.data(), environment.data());
    return tell_failure(failure_pipe, {Failure::Step::Exec, errno});
}

void Launcher::explain(const LaunchFailure& failure) const { tracer::explain(failure, options_); }

Launched Launcher::launch(StopAt stop_at) const {
    const SystemCallFilter& filter = stop_at == StopAt::EverySystemCall ? filter_all_ : filter_;
    return start([&](int failure_pipe) { return run_child(failure_pipe, filter); }, false);
}

Launched Launcher::launch_free(const FreeSurroundings& surroundings) const {
    return start([&](int failure_pipe) { return run_free_child(failure_pipe, surroundings, true); }, true);
}

Launched Launcher::start(const std::function<int(int)>& body, bool free) const {
    FailurePipe pipe;
    Launched launched{ChildProcess([&] { return body(pipe.child_end()); }), {}, {}, {}, {}};
    pipe.close_child_end();
    ChildProcess& process = launched.process;
    const auto failed = [&] {
        process.kill_and_reap();
        if (const auto failure = pipe.read()) explain(*failure);
        throw Error("The program was killed from outside while it was being started.");
    };
    if (process.wait() != WaitStatus(Stopped{SIGSTOP})) failed();
    const ptrace::Options wanted{
        .kill_on_tracer_exit = true, .seccomp_events = !free, .birth_events = true, .exec_events = true};
    must(ptrace::set_options(process.id(), wanted));
    if (continue_through_filter(process) != WaitStatus(EventStop{ptrace::Event::Exec})) failed();

    const TargetMemory memory(process.id());
    const auto registers = ptrace::get_registers(process.id());
    if (!registers) lost(registers.error());
    launched.stack = RemoteAddress{registers.value().rsp};
    prepare_stack(memory, launched.stack, launched, free);
    map_scratch_page(process, memory);
    if (!free) forbid_time_stamps(process);
    return launched;
}

}  // namespace coopcheck::tracer
