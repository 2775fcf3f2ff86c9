#include "tracer/child_process.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

namespace {

[[noreturn]] void run_child(pid_t parent, const std::function<int()>& body) noexcept {
    // The request is lost when the parent ends before it is made, hence the look at the parent after it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::_exit(body());
}

ProcessId fork_running(const std::function<int()>& body) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == -1) {
        throw Error("Cannot start a process: " + last_error().message() +
                    "; raise the limits on processes and memory (ulimit -a shows them).");
    }
    if (pid == 0) run_child(parent, body);
    return ProcessId{pid};
}

}  // namespace

ChildProcess::ChildProcess(const std::function<int()>& body) : id_(fork_running(body)) {}

ChildProcess::~ChildProcess() {
    if (id_ != ProcessId{0}) kill_and_reap();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, ProcessId{0})), end_(std::exchange(other.end_, std::nullopt)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(end_, other.end_);
    return *this;
}

WaitStatus ChildProcess::wait() {
    COOPCHECK_CHECK(!end_, "waiting for a child that has ended");
    const WaitStatus status = wait_for(id_);
    if (is_end(status)) end_ = status;
    return status;
}

std::optional<WaitStatus> ChildProcess::look() {
    COOPCHECK_CHECK(!end_, "looking at a child that has ended");
    std::optional<WaitStatus> status = look_at(id_);
    if (status && is_end(*status)) end_ = status;
    return status;
}

WaitStatus ChildProcess::kill_and_reap() {
    if (!end_) ::kill(static_cast<pid_t>(id_), SIGKILL);
    while (!end_) wait();
    return *end_;
}

}  // namespace coopcheck::tracer
