#include "tracer/wait.hpp"

#include <sys/wait.h>

#include "core/check.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

WaitStatus decode_wait_status(int raw) {
    if (WIFEXITED(raw)) return Exited{WEXITSTATUS(raw)};
    if (WIFSIGNALED(raw)) return Signalled{WTERMSIG(raw)};
    COOPCHECK_CHECK(WIFSTOPPED(raw), "a wait status of no known kind: " + std::to_string(raw));
    // The kernel puts the event above the sixteen bits of an ordinary wait status (ptrace(2)).
    if (const int event = raw >> 16; event != 0) return EventStop{static_cast<ptrace::Event>(event)};
    return Stopped{WSTOPSIG(raw)};
}

bool is_end(const WaitStatus& status) {
    return std::holds_alternative<Exited>(status) || std::holds_alternative<Signalled>(status);
}

WaitStatus wait_for(ProcessId process) {
    int raw = 0;
    pid_t waited = -1;
    do {
        // __WALL: a tracee made by clone with another exit signal than SIGCHLD is reported only with it.
        waited = ::waitpid(static_cast<pid_t>(process), &raw, __WALL);
    } while (waited == -1 && errno == EINTR);
    COOPCHECK_CHECK(waited == static_cast<pid_t>(process),
                    "waiting for a process that is not ours: " + last_error().message());
    return decode_wait_status(raw);
}

int wait_for_end(ProcessId process) {
    constexpr int stopped = 0x7f;  // neither of the two ends
    int raw = stopped;
    do {
        if (::waitpid(static_cast<pid_t>(process), &raw, __WALL) == -1 && errno != EINTR) break;
    } while (!WIFEXITED(raw) && !WIFSIGNALED(raw));
    return raw;
}

std::optional<WaitStatus> look_at(ProcessId process) {
    int raw = 0;
    const pid_t waited = ::waitpid(static_cast<pid_t>(process), &raw, __WALL | WNOHANG);
    COOPCHECK_CHECK(waited != -1, "looking at a process that is not ours: " + last_error().message());
    if (waited == 0) return std::nullopt;
    return decode_wait_status(raw);
}

bool has_child() { return ::waitpid(-1, nullptr, WNOHANG | __WALL) != -1 || errno != ECHILD; }

}  // namespace coopcheck::tracer
