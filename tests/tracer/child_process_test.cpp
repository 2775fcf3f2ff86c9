#include "tracer/child_process.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tracer/ptrace.hpp"

using namespace coopcheck::tracer;

namespace {

/// True for a zombie too, so a child that nobody reaped shows.
bool exists(ProcessId process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH; }

int sleep_forever() {
    for (;;) ::pause();
}

}  // namespace

TEST_CASE("a child's exit code is what its body returned") {
    ChildProcess child([] { return 42; });
    CHECK(child.wait() == WaitStatus(Exited{42}));
    CHECK(child.kill_and_reap() == WaitStatus(Exited{42}));
}

TEST_CASE("a running child is killed and reaped when its owner goes") {
    ProcessId id{};
    {
        const ChildProcess child(sleep_forever);
        id = child.id();
        CHECK(exists(id));
    }
    CHECK_FALSE(exists(id));
}

TEST_CASE("a stopped tracee is killed and reaped when its owner goes") {
    ProcessId id{};
    {
        ChildProcess child([] {
            if (ptrace::trace_me()) return 1;
            std::raise(SIGSTOP);
            return sleep_forever();
        });
        id = child.id();
        CHECK(child.wait() == WaitStatus(Stopped{SIGSTOP}));
    }
    CHECK_FALSE(exists(id));
}
