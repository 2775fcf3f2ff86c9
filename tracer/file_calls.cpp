#include "tracer/file_calls.hpp"

#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace coopcheck::tracer {

namespace {

timespec from_milliseconds(int milliseconds) {
    return {.tv_sec = milliseconds / 1000, .tv_nsec = static_cast<long>(milliseconds % 1000) * 1'000'000};
}

FileCall on_one(std::uint64_t file, short events, bool never_waits = false) {
    return {.files = {{static_cast<int>(file), events, 0}}, .never_waits = never_waits};
}

bool dont_wait(std::uint64_t flags) { return (flags & MSG_DONTWAIT) != 0; }

void set_limit(FileCall& call, const timespec& limit) {
    call.limit = limit;
    call.never_waits = limit.tv_sec == 0 && limit.tv_nsec == 0;
}

void set_limit_ms(FileCall& call, std::uint64_t argument) {
    const auto milliseconds = static_cast<int>(argument);
    if (milliseconds >= 0) set_limit(call, from_milliseconds(milliseconds));
}

/// False when it cannot be read.
bool read_limit(FileCall& call, const TargetMemory& memory, std::uint64_t where,
                bool in_microseconds = false) {
    if (where == 0) return true;
    const auto time = memory.read_value<timespec>(RemoteAddress{where});
    if (!time) return false;
    timespec limit = time.value();
    if (in_microseconds) limit.tv_nsec *= 1000;
    set_limit(call, limit);
    return true;
}

bool read_sets(FileCall& call, const TargetMemory& memory, const user_regs_struct& registers) {
    const auto count = static_cast<int>(std::min<std::uint64_t>(registers.rdi, FD_SETSIZE));
    const std::array<std::pair<std::uint64_t, short>, 3> sets{
        {{registers.rsi, POLLIN}, {registers.rdx, POLLOUT}, {registers.r10, POLLPRI}}};
    for (const auto& [where, events] : sets) {
        if (where == 0) continue;
        fd_set set{};
        // The kernel reads whole words, as many as are needed.
        const std::size_t bytes = (static_cast<std::size_t>(count) + 63) / 64 * 8;
        if (memory.read(RemoteAddress{where}, std::as_writable_bytes(std::span(&set, 1)).first(bytes)))
            return false;
        for (int file = 0; file < count; ++file) {
            if (FD_ISSET(file, &set)) call.files.push_back({file, events, 0});
        }
    }
    return true;
}

}  // namespace

std::optional<FileCall> decode_file_call(const user_regs_struct& registers, const TargetMemory& memory) {
    switch (registers.orig_rax) {
        case SYS_read:
        case SYS_readv:
        case SYS_accept:
        case SYS_accept4:
            return on_one(registers.rdi, POLLIN);
        case SYS_recvfrom:
        case SYS_recvmmsg:
            return on_one(registers.rdi, POLLIN, dont_wait(registers.r10));
        case SYS_recvmsg:
            return on_one(registers.rdi, POLLIN, dont_wait(registers.rdx));
        case SYS_write:
        case SYS_writev:
        case SYS_sendfile:
            return on_one(registers.rdi, POLLOUT);
        case SYS_sendto:
        case SYS_sendmmsg:
            return on_one(registers.rdi, POLLOUT, dont_wait(registers.r10));
        case SYS_sendmsg:
            return on_one(registers.rdi, POLLOUT, dont_wait(registers.rdx));
        default:
            break;
    }
    FileCall call;
    call.is_poll = true;
    switch (registers.orig_rax) {
        case SYS_poll:
        case SYS_ppoll: {
            constexpr std::uint64_t most = 65536;
            call.files.resize(std::min<std::uint64_t>(registers.rsi, most));
            if (memory.read(RemoteAddress{registers.rdi}, std::as_writable_bytes(std::span(call.files))))
                return std::nullopt;
            if (registers.orig_rax == SYS_poll) {
                set_limit_ms(call, registers.rdx);
            } else if (!read_limit(call, memory, registers.rdx)) {
                return std::nullopt;
            }
            return call;
        }
        case SYS_select:
        case SYS_pselect6: {
            const bool in_microseconds = registers.orig_rax == SYS_select;
            if (!read_sets(call, memory, registers) ||
                !read_limit(call, memory, registers.r8, in_microseconds))
                return std::nullopt;
            return call;
        }
        case SYS_epoll_wait:
        case SYS_epoll_pwait:
            call.files.push_back({static_cast<int>(registers.rdi), POLLIN, 0});
            set_limit_ms(call, registers.r10);
            return call;
        case SYS_epoll_pwait2:
            call.files.push_back({static_cast<int>(registers.rdi), POLLIN, 0});
            if (!read_limit(call, memory, registers.r10)) return std::nullopt;
            return call;
        default:
            call.is_poll = false;  // close, shutdown, connect ...: nothing to wait for
            call.never_waits = true;
            return call;
    }
}

void make_immediate(user_regs_struct& registers, RemoteAddress zero) {
    switch (registers.orig_rax) {
        case SYS_poll:
            registers.rdx = 0;
            return;
        case SYS_ppoll:
            registers.rdx = number(zero);
            return;
        case SYS_select:
        case SYS_pselect6:
            registers.r8 = number(zero);
            return;
        case SYS_epoll_wait:
        case SYS_epoll_pwait:
            registers.r10 = 0;
            return;
        case SYS_epoll_pwait2:
            registers.r10 = number(zero);
            return;
        default:
            return;
    }
}

}  // namespace coopcheck::tracer
