#include "tracer/system_call_filter.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

/// Stopped at whatever their arguments are.
constexpr std::array always{
    SYS_clone3,
    SYS_fork,
    SYS_vfork,
    SYS_exit,
    SYS_exit_group,
    SYS_futex,
    SYS_futex_waitv,
    futex_wake_call,
    futex_wait_call,
    futex_requeue_call,
    SYS_semop,
    SYS_semtimedop,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_sched_yield,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_time,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_set_tid_address,
    SYS_tgkill,
    SYS_tkill,
    SYS_kill,
    SYS_rt_tgsigqueueinfo,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_open,
    SYS_openat,
    SYS_openat2,
    SYS_creat,
    SYS_sched_setparam,
    SYS_sched_getscheduler,
    SYS_sched_setscheduler,
    SYS_getcpu,
};

/// We inject these ourselves, from the scratch page, and must not be stopped at our own.
constexpr std::array unless_ours{SYS_clone, SYS_sigaltstack};

constexpr std::uint32_t low_half(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_half(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

class Assembler {
  public:
    void load(std::size_t offset) {
        add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void answer(std::uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
    /// Goes on with the next instruction if equal, otherwise skips `count` instructions.
    void unless_equal_skip(std::uint32_t value, std::uint8_t count) {
        add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
    }
    void if_equal_skip(std::uint32_t value, std::uint8_t count) {
        add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0));
    }
    void unless_at_least_skip(std::uint32_t value, std::uint8_t count) {
        add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, count));
    }
    [[nodiscard]] std::vector<sock_filter> take() { return std::move(program_); }

  private:
    void add(sock_filter instruction) { program_.push_back(instruction); }
    std::vector<sock_filter> program_;
};

constexpr std::size_t argument_offset(std::size_t nth) {
    return offsetof(seccomp_data, args) + nth * sizeof(std::uint64_t);
}

}  // namespace

std::string system_call_name(int system_call) {
    char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, system_call);
    std::string result = name != nullptr ? name : std::to_string(system_call);
    std::free(name);  // NOLINT(cppcoreguidelines-no-malloc): libseccomp allocates with malloc
    return result;
}

SystemCallFilter::SystemCallFilter() {
    constexpr std::uint32_t stop = SECCOMP_RET_TRACE;
    constexpr std::uint32_t pass = SECCOMP_RET_ALLOW;
    constexpr std::size_t ip_offset = offsetof(seccomp_data, instruction_pointer);
    Assembler code;
    code.load(offsetof(seccomp_data, arch));
    code.if_equal_skip(AUDIT_ARCH_X86_64, 1);
    code.answer(pass);
    code.load(offsetof(seccomp_data, nr));
    // The number comes first and the instruction pointer only for the few calls that need it: the kernel
    // remembers the answer for a number whose answer depends on nothing else (5.11 and later).
    for (const long call : always) {
        code.unless_equal_skip(static_cast<std::uint32_t>(call), 1);
        code.answer(stop);
    }
    for (const long call : unless_ours) {
        code.unless_equal_skip(static_cast<std::uint32_t>(call), 6);
        code.load(ip_offset);
        code.unless_equal_skip(low_half(number(scratch::after_system_call)), 3);
        code.load(ip_offset + 4);
        code.unless_equal_skip(high_half(number(scratch::after_system_call)), 1);
        code.answer(pass);
        code.answer(stop);
    }
    for (const long call : {SYS_write, SYS_writev}) {
        code.unless_equal_skip(static_cast<std::uint32_t>(call), 6);
        code.load(argument_offset(0));
        code.unless_equal_skip(1, 1);
        code.answer(stop);
        code.unless_equal_skip(2, 1);
        code.answer(stop);
        code.answer(pass);
    }
    for (const long call : {SYS_read, SYS_readv}) {
        code.unless_equal_skip(static_cast<std::uint32_t>(call), 4);
        code.load(argument_offset(0));
        code.unless_equal_skip(0, 1);
        code.answer(stop);
        code.answer(pass);
    }
    code.unless_equal_skip(SYS_mmap, 6);
    code.load(argument_offset(0));
    code.unless_equal_skip(0, 3);
    code.load(argument_offset(0) + 4);
    code.unless_equal_skip(0, 1);
    code.answer(stop);
    code.answer(pass);
    code.unless_at_least_skip(static_cast<std::uint32_t>(Request::Assert), 2);
    code.unless_at_least_skip(static_cast<std::uint32_t>(Request::Count_), 2);
    code.answer(pass);
    code.answer(pass);
    code.answer(stop);
    program_ = code.take();
}

int SystemCallFilter::load() const {
    const sock_fprog program{static_cast<unsigned short>(program_.size()),
                             const_cast<sock_filter*>(program_.data())};
    // Without it only a privileged process may install a filter.
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1) return errno;
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1) return errno;
    return 0;
}

}  // namespace coopcheck::tracer
