#include "tracer/birth_certificate.hpp"

#include <linux/sched.h>
#include <sys/syscall.h>

namespace coopcheck::tracer {

BirthCertificate read_birth_certificate(const user_regs_struct& registers, const TargetMemory& memory) {
    if (registers.orig_rax == SYS_clone3) {
        const auto arguments = memory.read_value<clone_args>(RemoteAddress{registers.rdi}).value();
        return {arguments.flags,
                arguments.parent_tid,
                arguments.child_tid,
                arguments.stack,
                arguments.stack + arguments.stack_size,
                arguments.tls};
    }
    return {registers.rdi, registers.rdx, registers.r10, registers.rsi, registers.rsi, registers.r8};
}

}  // namespace coopcheck::tracer
