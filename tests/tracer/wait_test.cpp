#include "tracer/wait.hpp"

#include <doctest/doctest.h>

#include <csignal>

#include "core/check.hpp"

using namespace coopcheck::tracer;

// The raw numbers are those of wait(2) and ptrace(2) on Linux.
TEST_CASE("a wait status is decoded into what happened") {
    CHECK(decode_wait_status(0x0000) == WaitStatus(Exited{0}));
    CHECK(decode_wait_status(0x2a00) == WaitStatus(Exited{42}));
    CHECK(decode_wait_status(SIGKILL) == WaitStatus(Signalled{SIGKILL}));
    CHECK(decode_wait_status(0x80 | SIGSEGV) == WaitStatus(Signalled{SIGSEGV}));
    CHECK(decode_wait_status(0x7f | SIGSTOP << 8) == WaitStatus(Stopped{SIGSTOP}));
    CHECK(decode_wait_status(0x7f | SIGTRAP << 8) == WaitStatus(Stopped{SIGTRAP}));
    CHECK(decode_wait_status(0x7f | SIGTRAP << 8 | 7 << 16) == WaitStatus(EventStop{ptrace::Event::Seccomp}));
    CHECK(decode_wait_status(0x7f | SIGTRAP << 8 | 128 << 16) == WaitStatus(EventStop{ptrace::Event::Stop}));
}

TEST_CASE("a wait status that cannot come is a bug of ours") {
    constexpr int continued = 0xffff;
    CHECK_THROWS_AS((void)decode_wait_status(continued), coopcheck::InternalError);
}
