#include "tracer/system_call_filter.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "tracer/scratch.hpp"
#include "tracer/system_calls.hpp"

namespace coopcheck::tracer {

namespace {

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
    void if_bit_skip(std::uint32_t bit, std::uint8_t count) {
        add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, count, 0));
    }
    [[nodiscard]] std::vector<sock_filter> take() { return std::move(program_); }

  private:
    void add(sock_filter instruction) { program_.push_back(instruction); }
    std::vector<sock_filter> program_;
};

}  // namespace

SystemCallFilter::SystemCallFilter(std::uint32_t stop, StopAt stop_at) {
    constexpr std::uint32_t pass = SECCOMP_RET_ALLOW;
    constexpr std::size_t ip_offset = offsetof(seccomp_data, instruction_pointer);
    Assembler code;
    code.load(offsetof(seccomp_data, arch));
    code.if_equal_skip(AUDIT_ARCH_X86_64, 1);
    // 32-bit system calls have other numbers, which nothing here knows.
    code.answer(SECCOMP_RET_ERRNO | ENOSYS);
    code.load(offsetof(seccomp_data, nr));
    // The number comes first and the instruction pointer only for the others: the kernel remembers the answer
    // for a number whose answer depends on nothing else (5.11 and later).
    const bool all = stop_at == StopAt::EverySystemCall;
    for (const int call : harmless_system_calls()) {
        if (all) break;
        code.unless_equal_skip(static_cast<std::uint32_t>(call), 1);
        code.answer(pass);
    }
    // Memory whose protection changes is of interest only when it becomes code.
    for (const int call : {SYS_mprotect, SYS_pkey_mprotect}) {
        if (all) break;
        code.unless_equal_skip(static_cast<std::uint32_t>(call), 4);
        code.load(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t));
        code.if_bit_skip(PROT_EXEC, 1);
        code.answer(pass);
        code.answer(stop);
    }
    // We inject calls ourselves, from the scratch page, and must not be stopped at our own.
    code.load(ip_offset);
    code.unless_equal_skip(low_half(number(scratch::after_system_call)), 3);
    code.load(ip_offset + 4);
    code.unless_equal_skip(high_half(number(scratch::after_system_call)), 1);
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
