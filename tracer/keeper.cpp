#include "tracer/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

namespace {

void make_pipe(FileDescriptor& read_end, FileDescriptor& write_end) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error("Cannot make a pipe: " + last_error().message() + ".");
    read_end = FileDescriptor(ends[0]);
    write_end = FileDescriptor(ends[1]);
}

/// Kills the children of the calling process and, as they are adopted by it, the children of these, until
/// there are none.
void kill_descendants() {
    std::array<char, 4096> text{};
    for (;;) {
        const FileDescriptor list(::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
        const ssize_t size = ::read(list.number(), text.data(), text.size() - 1);
        if (size <= 0) return;
        text[static_cast<std::size_t>(size)] = 0;
        // A list that was cut may end with a part of a number; the rest comes in the next round.
        char* end = text.data();
        for (long child = std::strtol(end, &end, 10); child > 0 && *end == ' ';
             child = std::strtol(end, &end, 10)) {
            ::kill(static_cast<pid_t>(child), SIGKILL);
            static_cast<void>(wait_for_end(ProcessId{static_cast<pid_t>(child)}));
        }
    }
}

}  // namespace

Keeper::Keeper(const std::function<int()>& body) {
    make_pipe(told_, tell_);
    make_pipe(report_, reported_);
    process_.emplace([&] { return keep(body); });
    told_.reset();
    reported_.reset();
}

Keeper::~Keeper() {
    tell_.reset();
    while (!process_->ended()) process_->wait();
}

std::optional<WaitStatus> Keeper::wait(int timeout_ms) {
    pollfd file{report_.number(), POLLIN, 0};
    if (::poll(&file, 1, timeout_ms) <= 0) return std::nullopt;
    int raw = 0;
    if (::read(report_.number(), &raw, sizeof raw) != sizeof raw)
        throw Error("The process that watches over the program was killed from outside.");
    return decode_wait_status(raw);
}

int Keeper::keep(const std::function<int()>& body) {
    // Our end is seen by the closing of the pipe; dying with it would leave nobody to clean up.
    ::prctl(PR_SET_PDEATHSIG, 0);
    tell_.reset();
    report_.reset();
    // In a group of its own it does not get the Ctrl-C that is meant for our parent.
    ::setpgid(0, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t keeper = ::getpid();
    const pid_t program = ::fork();
    if (program == -1) return 1;
    if (program == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != keeper) ::_exit(1);
        ::_exit(body());
    }
    // 0, 1 and 2 stay open: they are those of our parent, and nobody waits for their end.
    const FileDescriptor end(static_cast<int>(::syscall(SYS_pidfd_open, program, 0)));
    std::array<pollfd, 2> files{pollfd{end.number(), POLLIN, 0}, pollfd{told_.number(), POLLIN, 0}};
    while (::poll(files.data(), files.size(), -1) <= 0) {
    }
    const bool ended = files[0].revents != 0;
    // As long as it is not reaped nobody else has its number, and its group is its own.
    ::kill(-program, SIGKILL);
    int raw = 0;
    if (ended) raw = wait_for_end(ProcessId{program});
    kill_descendants();
    if (ended) static_cast<void>(::write(reported_.number(), &raw, sizeof raw));
    return 0;
}

}  // namespace coopcheck::tracer
