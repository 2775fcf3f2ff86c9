#include "tracer/restrictions.hpp"

#include <charconv>
#include <fstream>
#include <iterator>

namespace coopcheck::tracer {

namespace {

constexpr std::string_view container_remedy =
    "in a container, start it with --cap-add=SYS_PTRACE --security-opt seccomp=unconfined";

std::optional<std::string> read_text(const char* path) {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::optional<int> leading_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    return number;
}

/// The number of a line "Field:\t2" of /proc/PID/status; 0 if there is none.
int status_field(std::string_view status, std::string_view field) {
    const std::string wanted = "\n" + std::string(field) + ":";
    const auto at = status.find(wanted);
    if (at == std::string_view::npos) return 0;
    return leading_number(status.substr(at + wanted.size())).value_or(0);
}

}  // namespace

Restrictions parse_restrictions(std::string_view process_status, std::optional<std::string_view> yama_scope) {
    constexpr int seccomp_mode_filter = 2;
    Restrictions restrictions;
    if (yama_scope) restrictions.yama_scope = leading_number(*yama_scope);
    restrictions.seccomp_filter = status_field(process_status, "Seccomp") == seccomp_mode_filter;
    restrictions.traced = status_field(process_status, "TracerPid") != 0;
    return restrictions;
}

Restrictions read_restrictions() {
    const auto scope = read_text("/proc/sys/kernel/yama/ptrace_scope");
    return parse_restrictions(read_text("/proc/self/status").value_or(""), scope);
}

Refusal explain_ptrace_refusal(const Restrictions& restrictions) {
    if (restrictions.traced) {
        return {"coopcheck is itself being traced and its children with it",
                "run it without strace or a debugger that follows children"};
    }
    if (restrictions.yama_scope == 3) {
        return {"Yama forbids all tracing (kernel.yama.ptrace_scope is 3)",
                "set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d and start the machine again"};
    }
    if (restrictions.yama_scope == 2) {
        return {"Yama allows tracing only with CAP_SYS_PTRACE (kernel.yama.ptrace_scope is 2)",
                "run as root, or as root: sysctl kernel.yama.ptrace_scope=1"};
    }
    return explain_refusal(restrictions);
}

Refusal explain_refusal(const Restrictions& restrictions) {
    if (restrictions.seccomp_filter) {
        return {"a seccomp filter in force here, most likely that of a container, forbids it",
                std::string(container_remedy)};
    }
    std::string remedy(container_remedy);
    remedy += "; otherwise look into the audit log for SELinux (deny_ptrace) or AppArmor";
    return {"a security policy of this machine forbids it", remedy};
}

}  // namespace coopcheck::tracer
