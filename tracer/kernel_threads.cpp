#include "tracer/kernel_threads.hpp"

#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>

#include "core/error.hpp"
#include "tracer/ptrace.hpp"
#include "tracer/scratch.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

namespace {

void must(std::error_code error) {
    if (error)
        throw Error("The program was killed from outside while its threads were made real (" +
                    error.message() + ").");
}

}  // namespace

KernelThreads::~KernelThreads() {
    if (members_.empty()) return;
    ::kill(static_cast<pid_t>(leader_), SIGKILL);
    // The end of the process is told only after all its traced threads have been waited for. The leader is
    // its owner's.
    for (const Member& member : members_) {
        if (member.kernel_id == leader_) continue;
        while (!is_end(wait_for(member.kernel_id))) {
        }
    }
}

void KernelThreads::identify(BorrowedThread& borrowed, const Identity& identity) const {
    constexpr std::size_t longest_name = 15;
    std::array<char, longest_name + 1> name{};
    identity.name.copy(name.data(), longest_name);
    must(memory_.write_value(scratch::data, name));
    borrowed.call(SYS_prctl, {PR_SET_NAME, number(scratch::data)});
    if (identity.robust_list != null_address) {
        constexpr std::uint64_t size_of_head = 24;  // struct robust_list_head
        borrowed.call(SYS_set_robust_list, {number(identity.robust_list), size_of_head});
    }
}

void KernelThreads::add_leader(const VirtualThread& thread, const Identity& identity) {
    BorrowedThread borrowed(leader_, thread.registers);
    borrowed.call(SYS_set_tid_address, {number(thread.clear_on_exit)});
    if (thread.clear_on_exit != null_address)
        must(memory_.write_value(thread.clear_on_exit, static_cast<pid_t>(leader_)));
    identify(borrowed, identity);
    members_.push_back({leader_, thread.registers});
}

ProcessId KernelThreads::add(const VirtualThread& thread, const Identity& identity) {
    std::uint64_t flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
    const std::uint64_t tid_field = number(thread.clear_on_exit);
    if (tid_field != 0) flags |= CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    BorrowedThread parent(leader_, members_.front().registers);
    const std::int64_t made = parent.call(
        SYS_clone, {flags, number(scratch::stack), tid_field, tid_field, thread.registers.fs_base});
    if (!parent.newborn()) {
        throw Error("The kernel refuses to make a thread (" +
                    std::error_code(static_cast<int>(-made), std::generic_category()).message() +
                    "); raise the limit on processes (ulimit -u).");
    }
    const ProcessId id = *parent.newborn();
    // From here on it has to be reaped, whatever happens. A new tracee starts with a SIGSTOP.
    members_.push_back({id, thread.registers});
    if (is_end(wait_for(id)))
        throw Error("The program was killed from outside while its threads were made real.");
    BorrowedThread child(id, thread.registers);
    must(memory_.write_value(scratch::data, thread.alternate_stack));
    child.call(SYS_sigaltstack, {number(scratch::data), 0});
    identify(child, identity);
    if (thread.extended_state) must(ptrace::set_extended_state(id, *thread.extended_state));
    must(ptrace::set_signal_mask(id, thread.signal_mask));
    return id;
}

void KernelThreads::let_go() {
    for (const Member& member : members_) must(ptrace::set_registers(member.kernel_id, member.registers));
    // Whoever is let go first takes the signal and stops all the others with him, those that we still trace
    // as soon as we do not any more (JOBCTL_STOP_PENDING, set also by detaching from a process that is
    // stopped): none runs an instruction.
    ::kill(static_cast<pid_t>(leader_), SIGSTOP);
    for (const Member& member : members_) must(ptrace::detach(member.kernel_id));
    members_.clear();
}

}  // namespace coopcheck::tracer
