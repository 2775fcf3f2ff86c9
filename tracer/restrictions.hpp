#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coopcheck::tracer {

/// What can forbid a process of this machine to trace its own child.
struct Restrictions {
    /// kernel.yama.ptrace_scope; none on a kernel without Yama. 0 and 1 allow to trace own children, 2 only
    /// with CAP_SYS_PTRACE, 3 never, and 3 stays until the machine is started again
    /// (Documentation/admin-guide/LSM/Yama).
    std::optional<int> yama_scope;
    /// A seccomp filter is in force, as container engines install one.
    bool seccomp_filter = false;
    /// Somebody traces this process. With `strace -f` he traces its children too, and nobody else can.
    bool traced = false;
};

[[nodiscard]] Restrictions read_restrictions();

/// From the text of /proc/self/status and of /proc/sys/kernel/yama/ptrace_scope (none without Yama).
[[nodiscard]] Restrictions parse_restrictions(std::string_view process_status,
                                              std::optional<std::string_view> yama_scope);

/// Why something was refused, and what to do about it.
struct Refusal {
    std::string reason;
    std::string remedy;
};

/// Why tracing was refused with EPERM or EACCES.
[[nodiscard]] Refusal explain_ptrace_refusal(const Restrictions& restrictions);

/// Why another permission (personality, seccomp) was refused with EPERM or EACCES.
[[nodiscard]] Refusal explain_refusal(const Restrictions& restrictions);

}  // namespace coopcheck::tracer
