// Whether the target may read the time stamp counter of the processor.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "tracer/run.hpp"

namespace coopcheck::tracer {

namespace {

/// Empty if the target has no such descriptor.
std::string path_of(ProcessId process, std::uint64_t file) {
    const std::string link = "/proc/" + std::to_string(static_cast<pid_t>(process)) + "/fd/" +
                             std::to_string(static_cast<int>(file));
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
    return size <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace

void Run::allow_time_stamps() {
    if (state_.may_read_time_stamps) return;
    call_in_target(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0);
    state_.time_stamps_forbidden = false;
}

bool Run::see_new_code(const VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    if ((registers.rdx & PROT_EXEC) == 0 || state_.may_read_time_stamps) return false;
    const bool is_file = registers.orig_rax == SYS_mmap && (registers.r10 & MAP_ANONYMOUS) == 0;
    if (is_file) {
        const std::string path = path_of(process_.id(), registers.r8);
        // A descriptor that is none makes the call fail.
        if (path.empty() || !session_->time_stamp_reads.may_be_in(path)) return false;
    }
    // Otherwise the program makes its code itself, and what it will be nobody knows.
    state_.may_read_time_stamps = true;
    return !state_.time_stamps_forbidden;
}

Run::Next Run::forbid_time_stamps(VirtualThread& thread) {
    call_in_target(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0);
    state_.time_stamps_forbidden = true;
    repeat_system_call(thread);
    return Next::ResumeChanged;
}

Run::Next Run::on_code(VirtualThread& thread) {
    return see_new_code(thread) ? forbid_time_stamps(thread) : Next::Resume;
}

}  // namespace coopcheck::tracer
