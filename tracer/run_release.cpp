// The program leaves our hands: virtual threads become real ones.
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/check.hpp"
#include "core/error.hpp"
#include "tracer/kernel_threads.hpp"
#include "tracer/lock_words.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

constexpr std::uint64_t size_of_syscall_instruction = 2;

void must(std::error_code error) {
    if (error)
        throw Error("The program was killed from outside while its threads were made real (" +
                    error.message() + ").");
}

/// Before the system call that the registers were stopped in.
void stand_before_call(user_regs_struct& registers) {
    if (static_cast<std::int64_t>(registers.orig_rax) < 0) return;
    registers.rip -= size_of_syscall_instruction;
    registers.rax = registers.orig_rax;
    registers.orig_rax = ~0ULL;
}

RemoteAddress function_named(const Modules& modules, std::string_view name) {
    for (const Module& module : modules.all()) {
        if (const auto address = module.file->function(std::string(name))) return module.base + *address;
    }
    return null_address;
}

bool is_futex_wait(const user_regs_struct& registers) {
    const auto command = static_cast<int>(registers.rsi) & FUTEX_CMD_MASK;
    return registers.orig_rax == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

}  // namespace

void Run::stand_by_itself(VirtualThread& thread) {
    Operation operation = parked_entry(thread.id).operation;
    if (thread.parking.at == Parking::At::Interrupted && !thread.interruptions.empty()) {
        thread.registers = thread.interruptions.back().registers;
        operation = thread.interruptions.back().operation;
        thread.parking = thread.interruptions.back().parking;
    }
    user_regs_struct& registers = thread.registers;
    // At a breakpoint the processor has executed its int3 already.
    if (const RemoteAddress before{registers.rip - 1}; state_.loaded->breakpoints.find(before) != nullptr) {
        registers.rip = number(before);
        registers.orig_rax = ~0ULL;
    }
    const bool woken = state_.model.thread(thread.id).wake != WakeReason::None;
    switch (operation.kind) {
        case OpKind::CondResume:
            if (!woken) break;
            // What is left of the wait is taking the mutex again.
            if (const RemoteAddress lock = function_named(state_.loaded->modules, "pthread_mutex_lock");
                lock != null_address) {
                registers.rip = number(lock);
                registers.rdi = registers.rsi;
            }
            break;
        case OpKind::BarrierResume:
            if (woken) complete_call(thread, {});
            break;
        case OpKind::FutexResume:
            if (woken) {
                registers.rax = 0;
                registers.orig_rax = ~0ULL;
            }
            break;
        case OpKind::Failure:
            // Where a signal stopped it a system call may just have been made. Only what the program says to
            // us is a call that was not.
            if (registers.orig_rax < static_cast<std::uint64_t>(Request::Assert)) registers.orig_rax = ~0ULL;
            break;
        default:
            break;
    }
    stand_before_call(registers);
}

bool Run::wait_on_condition(VirtualThread& thread) {
    // In the memory of the condition nobody waits yet, so glibc's own code has to run up to where the kernel
    // would let it wait. It gives the mutex up, which we therefore lend it.
    const user_regs_struct before = thread.registers;
    const RemoteAddress mutex{thread.registers.rsi};
    lock_words::write_mutex(memory_, mutex, {.owner = thread.kernel_id, .count = 1, .users = 1});
    activate(thread);
    constexpr int most_stops = 16;
    for (int stop = 0; stop < most_stops; ++stop) {
        must(ptrace::cont(process_.id()));
        const WaitStatus status = wait();
        if (is_end(status)) throw Error("The program was killed from outside.");
        const auto registers = ptrace::get_registers(process_.id());
        must(registers.error());
        if (status != WaitStatus(EventStop{ptrace::Event::Seccomp})) break;
        if (!is_futex_wait(registers.value())) continue;
        thread.registers = registers.value();
        stand_before_call(thread.registers);
        must(ptrace::set_registers(process_.id(), thread.registers));
        return true;
    }
    thread.registers = before;
    return false;
}

void Run::restore_surroundings() {
    BorrowedThread leader(process_.id(), state_.threads[state_.current].registers);
    const auto us = static_cast<std::uint64_t>(::getpid());
    // A debugger traces it from now on and does not have to kill it when it ends; we do, and the kernel does
    // if we cannot. A copy of the target has not inherited that.
    leader.call(SYS_prctl, {PR_SET_PDEATHSIG, SIGKILL});
    // Where only parents may trace (Yama), our descendants may; fails harmlessly where Yama is not.
    leader.call(SYS_prctl, {PR_SET_PTRACER, us});
    leader.call(SYS_prctl, {PR_SET_TSC, PR_TSC_ENABLE});
}

bool Run::give_streams() {
    // Nobody records its output any more; what it goes on to say goes where ours goes. It has to be the same
    // open file: two that write to one file overwrite each other.
    BorrowedThread leader(process_.id(), state_.threads[state_.current].registers);
    const auto us = static_cast<std::uint64_t>(::getpid());
    // Taking somebody's descriptors needs the right to trace him, also where only parents have it (Yama).
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(process_.id()), 0, 0, 0);
    const std::int64_t handle = leader.call(SYS_pidfd_open, {us, 0});
    bool all = handle >= 0;
    for (const auto& [file, stream] : state_.streams) {
        if (stream == 0 || handle < 0) continue;
        const std::int64_t ours = leader.call(
            SYS_pidfd_getfd, {static_cast<std::uint64_t>(handle), static_cast<std::uint64_t>(stream)});
        all = all && ours >= 0;
        if (ours < 0) continue;
        leader.call(SYS_dup2, {static_cast<std::uint64_t>(ours), static_cast<std::uint64_t>(file)});
        leader.call(SYS_close, {static_cast<std::uint64_t>(ours)});
    }
    if (handle >= 0) leader.call(SYS_close, {static_cast<std::uint64_t>(handle)});
    ::prctl(PR_SET_PTRACER, 0, 0, 0, 0);
    return all;
}

OwnedFile Run::install_listener() {
    const SystemCallFilter filter(SECCOMP_RET_USER_NOTIF);
    const auto code = filter.instructions();
    const RemoteAddress program_at = scratch::data;
    const RemoteAddress code_at = program_at + sizeof(sock_fprog);
    COOPCHECK_CHECK(sizeof(sock_fprog) + code.size_bytes() <= scratch::page_size,
                    "a filter that does not fit into the scratch page");
    sock_fprog program{};
    program.len = static_cast<unsigned short>(code.size());
    const std::uint64_t pointer = number(code_at);
    std::memcpy(&program.filter, &pointer, sizeof pointer);
    must(memory_.write_value(program_at, program));
    must(memory_.write(code_at, std::as_bytes(code)));
    BorrowedThread leader(process_.id(), state_.threads[state_.current].registers);
    const std::int64_t theirs = leader.call(
        SYS_seccomp, {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, number(program_at)});
    if (theirs < 0) return {};
    const OwnedFile process(
        static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process_.id()), 0)));
    OwnedFile ours(static_cast<int>(::syscall(SYS_pidfd_getfd, process.descriptor(), theirs, 0)));
    leader.call(SYS_close, {static_cast<std::uint64_t>(theirs)});
    return ours;
}

std::optional<std::uint64_t> Run::robust_list_offset() const {
    // The kernel knows the list of whoever registered last; it is in the thread's own block, at the same
    // place in all of them.
    std::uint64_t head = 0;
    std::size_t size = 0;
    if (::syscall(SYS_get_robust_list, static_cast<pid_t>(process_.id()), &head, &size) != 0)
        return std::nullopt;
    constexpr std::uint64_t largest_block = 4096;
    for (const VirtualThread& thread : state_.threads) {
        const std::uint64_t block = thread.registers.fs_base;
        if (block != 0 && head > block && head - block < largest_block) return head - block;
    }
    return std::nullopt;
}

void Run::write_lock_words(const std::vector<RealThread>& threads) {
    const auto kernel_id_of = [&](ThreadId id) {
        const auto found = std::find_if(threads.begin(), threads.end(),
                                        [&](const RealThread& thread) { return thread.id == id; });
        return found == threads.end() ? 0 : static_cast<int>(found->kernel_id);
    };
    const auto waiters_with = [&](ObjectId mutex) {
        return static_cast<std::uint32_t>(
            std::count_if(state_.parked.begin(), state_.parked.end(), [&](const ParkedThread& parked) {
                return parked.operation.kind == OpKind::CondResume && parked.operation.mutex == mutex &&
                       state_.model.thread(parked.thread).wake == WakeReason::None;
            }));
    };
    constexpr unsigned class_shift = 56;
    constexpr std::uint64_t address_bits = (std::uint64_t{1} << class_shift) - 1;
    for (const auto& [key, object] : state_.objects) {
        const RemoteAddress address{key & address_bits};
        if (!state_.model.known(object) || session_->is_stream_lock(object)) continue;
        const ObjectState& state = state_.model.object(object);
        if (static_cast<std::uint64_t>(state.object_class) != key >> class_shift) continue;
        if (state.object_class != ObjectClass::Mutex) {
            lock_words::write(memory_, address, state, kernel_id_of);
        } else if (const auto waits = waiters_with(object); (state.owner.valid() || waits > 0)) {
            const bool counts = state.mutex_kind == MutexKind::Recursive;
            lock_words::write_mutex(memory_, address,
                                    {.owner = state.owner.valid() ? kernel_id_of(state.owner) : 0,
                                     .count = counts ? state.count : 0,
                                     .users = waits + (state.owner.valid() ? 1 : 0)});
        }
    }
}

ReleasedProgram Run::release() {
    if (ended() || ended_early_)
        throw Error("The program has ended; there is nothing to be seen in a debugger.");
    ReleasedProgram released{ChildProcess(ProcessId{0}), {}, {}, {}};
    end_watching();
    for (VirtualThread& thread : state_.threads) {
        if (thread.live) stand_by_itself(thread);
    }
    state_.loaded->breakpoints.remove_all(memory_);
    for (VirtualThread& thread : state_.threads) {
        if (!thread.live) continue;
        const std::string& name = session_->names.threads.name(thread.id);
        const bool waits = parked_entry(thread.id).operation.kind == OpKind::CondResume &&
                           state_.model.thread(thread.id).wake == WakeReason::None;
        if (waits && !wait_on_condition(thread))
            released.differences.push_back("Thread " + name + " does not wait yet, but is about to.");
        if (!thread.pending_signals.empty())
            released.differences.push_back("A signal that was sent to thread " + name + " is lost.");
    }
    const bool has_names = std::any_of(state_.named_semaphores.begin(), state_.named_semaphores.end(),
                                       [](const NamedSemaphore& semaphore) { return semaphore.linked; });
    if (has_names)
        released.differences.emplace_back(
            "Its semaphores keep their values, but the kernel does not know their names.");
    if (!state_.timers.empty()) released.differences.emplace_back("Its timers do not run any more.");
    if (!state_.process_signals.empty())
        released.differences.emplace_back("A signal that was sent to the process is lost.");

    const auto leader = std::find_if(state_.threads.begin(), state_.threads.end(),
                                     [](const VirtualThread& thread) { return thread.live; });
    COOPCHECK_CHECK(leader != state_.threads.end(), "a run without threads that has not ended");
    const auto robust_list = robust_list_offset();
    activate(*leader);
    restore_surroundings();
    if (!give_streams()) released.differences.emplace_back("What it writes from now on is not to be seen.");
    released.listener = install_listener();
    if (!released.listener.valid()) {
        released.differences.emplace_back(
            "The kernel has no listener for system calls: the program can be looked at, but when it goes on "
            "most of its system calls fail.");
    }

    KernelThreads kernel_threads(process_.id(), memory_);
    for (VirtualThread& thread : state_.threads) {
        if (!thread.live) continue;
        const KernelThreads::Identity identity{
            .name = session_->names.threads.name(thread.id) + " " + thread.name,
            .robust_list = robust_list && thread.registers.fs_base != 0
                               ? RemoteAddress{thread.registers.fs_base + *robust_list}
                               : null_address};
        if (&thread == &*leader) {
            kernel_threads.add_leader(thread, identity);
            released.threads.push_back({thread.id, process_.id()});
        } else {
            released.threads.push_back({thread.id, kernel_threads.add(thread, identity)});
        }
    }
    write_lock_words(released.threads);
    kernel_threads.let_go();
    released.process = std::move(process_);
    state_.end = RunEnd{};
    state_.parked.clear();
    return released;
}

}  // namespace coopcheck::tracer
