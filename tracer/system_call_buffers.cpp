#include "tracer/system_call_buffers.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <span>

namespace coopcheck::tracer {

namespace {

/// How much of the memory at an argument is meant.
enum class Extent : std::uint8_t {
    Bytes,     ///< so many
    Argument,  ///< as another argument says, times so many bytes
    Result,    ///< as the result says, times so many bytes
    Length,    ///< as the number says that another argument points to
    Text,      ///< up to a zero byte
    Pieces,    ///< an array of iovec: as many as another argument says
    Message,   ///< a msghdr
};

struct Buffer {
    unsigned argument;
    bool written;
    Extent extent;
    std::uint64_t bytes = 1;
    unsigned other = 0;
};

struct Row {
    long call;
    std::array<std::optional<Buffer>, 3> buffers;
};

constexpr bool in = false;
constexpr bool out = true;
constexpr std::uint64_t signal_set = 8;
constexpr std::uint64_t kernel_action = 32;
constexpr std::uint64_t kernel_stat = 144;
constexpr std::uint64_t extended_stat = 256;
constexpr std::uint64_t kernel_names = 390;

constexpr Buffer fixed(unsigned argument, bool written, std::uint64_t bytes) {
    return {argument, written, Extent::Bytes, bytes};
}
constexpr Buffer counted(unsigned argument, bool written, unsigned by, std::uint64_t bytes = 1) {
    return {argument, written, Extent::Argument, bytes, by};
}
constexpr Buffer filled(unsigned argument, std::uint64_t bytes = 1) {
    return {argument, out, Extent::Result, bytes};
}
constexpr Buffer text(unsigned argument) { return {argument, in, Extent::Text}; }
constexpr Buffer pieces(unsigned argument, bool written) {
    return {argument, written, Extent::Pieces, 1, argument + 1};
}
constexpr Buffer message(unsigned argument, bool written) { return {argument, written, Extent::Message}; }
constexpr Buffer address(unsigned argument) { return {argument, out, Extent::Length, 1, argument + 1}; }

const std::array table{
    Row{SYS_read, {filled(1)}},
    Row{SYS_pread64, {filled(1)}},
    Row{SYS_recvfrom, {filled(1), address(4)}},
    Row{SYS_write, {counted(1, in, 2)}},
    Row{SYS_pwrite64, {counted(1, in, 2)}},
    Row{SYS_sendto, {counted(1, in, 2), counted(4, in, 5)}},
    Row{SYS_readv, {pieces(1, out)}},
    Row{SYS_preadv, {pieces(1, out)}},
    Row{SYS_preadv2, {pieces(1, out)}},
    Row{SYS_writev, {pieces(1, in)}},
    Row{SYS_pwritev, {pieces(1, in)}},
    Row{SYS_pwritev2, {pieces(1, in)}},
    Row{SYS_recvmsg, {message(1, out)}},
    Row{SYS_sendmsg, {message(1, in)}},
    Row{SYS_stat, {text(0), fixed(1, out, kernel_stat)}},
    Row{SYS_lstat, {text(0), fixed(1, out, kernel_stat)}},
    Row{SYS_fstat, {fixed(1, out, kernel_stat)}},
    Row{SYS_newfstatat, {text(1), fixed(2, out, kernel_stat)}},
    Row{SYS_statx, {text(1), fixed(4, out, extended_stat)}},
    Row{SYS_statfs, {text(0), fixed(1, out, sizeof(struct statfs))}},
    Row{SYS_fstatfs, {fixed(1, out, sizeof(struct statfs))}},
    Row{SYS_access, {text(0)}},
    Row{SYS_faccessat, {text(1)}},
    Row{SYS_faccessat2, {text(1)}},
    Row{SYS_open, {text(0)}},
    Row{SYS_openat, {text(1)}},
    Row{SYS_creat, {text(0)}},
    Row{SYS_rename, {text(0), text(1)}},
    Row{SYS_renameat, {text(1), text(3)}},
    Row{SYS_renameat2, {text(1), text(3)}},
    Row{SYS_mkdir, {text(0)}},
    Row{SYS_mkdirat, {text(1)}},
    Row{SYS_rmdir, {text(0)}},
    Row{SYS_link, {text(0), text(1)}},
    Row{SYS_linkat, {text(1), text(3)}},
    Row{SYS_unlink, {text(0)}},
    Row{SYS_unlinkat, {text(1)}},
    Row{SYS_symlink, {text(0), text(1)}},
    Row{SYS_symlinkat, {text(0), text(2)}},
    Row{SYS_truncate, {text(0)}},
    Row{SYS_mknod, {text(0)}},
    Row{SYS_mknodat, {text(1)}},
    Row{SYS_chdir, {text(0)}},
    Row{SYS_chmod, {text(0)}},
    Row{SYS_fchmodat, {text(1)}},
    Row{SYS_chown, {text(0)}},
    Row{SYS_lchown, {text(0)}},
    Row{SYS_fchownat, {text(1)}},
    Row{SYS_utimensat, {text(1), fixed(2, in, 2 * sizeof(timespec))}},
    Row{SYS_getdents, {filled(1)}},
    Row{SYS_getdents64, {filled(1)}},
    Row{SYS_getcwd, {filled(0)}},
    Row{SYS_readlink, {text(0), filled(1)}},
    Row{SYS_readlinkat, {text(1), filled(2)}},
    Row{SYS_getxattr, {text(0), text(1), filled(2)}},
    Row{SYS_lgetxattr, {text(0), text(1), filled(2)}},
    Row{SYS_fgetxattr, {text(1), filled(2)}},
    Row{SYS_setxattr, {text(0), text(1), counted(2, in, 3)}},
    Row{SYS_lsetxattr, {text(0), text(1), counted(2, in, 3)}},
    Row{SYS_fsetxattr, {text(1), counted(2, in, 3)}},
    Row{SYS_bind, {counted(1, in, 2)}},
    Row{SYS_connect, {counted(1, in, 2)}},
    Row{SYS_accept, {address(1)}},
    Row{SYS_accept4, {address(1)}},
    Row{SYS_getsockname, {address(1)}},
    Row{SYS_getpeername, {address(1)}},
    Row{SYS_setsockopt, {counted(3, in, 4)}},
    Row{SYS_getsockopt, {address(3)}},
    Row{SYS_socketpair, {fixed(3, out, 2 * sizeof(int))}},
    Row{SYS_pipe, {fixed(0, out, 2 * sizeof(int))}},
    Row{SYS_pipe2, {fixed(0, out, 2 * sizeof(int))}},
    Row{SYS_poll, {counted(0, in, 1, sizeof(pollfd)), counted(0, out, 1, sizeof(pollfd))}},
    Row{SYS_ppoll, {counted(0, in, 1, sizeof(pollfd)), counted(0, out, 1, sizeof(pollfd))}},
    Row{SYS_epoll_wait, {filled(1, sizeof(epoll_event))}},
    Row{SYS_epoll_pwait, {filled(1, sizeof(epoll_event))}},
    Row{SYS_epoll_pwait2, {filled(1, sizeof(epoll_event))}},
    Row{SYS_epoll_ctl, {fixed(3, in, sizeof(epoll_event))}},
    Row{SYS_clock_gettime, {fixed(1, out, sizeof(timespec))}},
    Row{SYS_clock_getres, {fixed(1, out, sizeof(timespec))}},
    Row{SYS_gettimeofday, {fixed(0, out, sizeof(timeval))}},
    Row{SYS_time, {fixed(0, out, sizeof(time_t))}},
    Row{SYS_times, {fixed(0, out, sizeof(tms))}},
    Row{SYS_getrusage, {fixed(1, out, sizeof(rusage))}},
    Row{SYS_getrandom, {filled(0)}},
    Row{SYS_uname, {fixed(0, out, kernel_names)}},
    Row{SYS_sysinfo, {fixed(0, out, sizeof(struct sysinfo))}},
    Row{SYS_getrlimit, {fixed(1, out, sizeof(rlimit))}},
    Row{SYS_setrlimit, {fixed(1, in, sizeof(rlimit))}},
    Row{SYS_prlimit64, {fixed(2, in, sizeof(rlimit)), fixed(3, out, sizeof(rlimit))}},
    Row{SYS_getresuid, {fixed(0, out, 4), fixed(1, out, 4), fixed(2, out, 4)}},
    Row{SYS_getresgid, {fixed(0, out, 4), fixed(1, out, 4), fixed(2, out, 4)}},
    Row{SYS_getgroups, {filled(1, sizeof(gid_t))}},
    Row{SYS_sched_getaffinity, {filled(2)}},
    Row{SYS_sched_setaffinity, {counted(2, in, 1)}},
    Row{SYS_rt_sigaction, {fixed(1, in, kernel_action), fixed(2, out, kernel_action)}},
    Row{SYS_rt_sigprocmask, {fixed(1, in, signal_set), fixed(2, out, signal_set)}},
    Row{SYS_rt_sigpending, {fixed(0, out, signal_set)}},
    Row{SYS_sigaltstack, {fixed(0, in, sizeof(stack_t)), fixed(1, out, sizeof(stack_t))}},
    Row{SYS_wait4, {fixed(1, out, sizeof(int)), fixed(3, out, sizeof(rusage))}},
    Row{SYS_waitid, {fixed(2, out, sizeof(siginfo_t))}},
    Row{SYS_nanosleep, {fixed(0, in, sizeof(timespec))}},
    Row{SYS_clock_nanosleep, {fixed(2, in, sizeof(timespec))}},
    Row{SYS_timer_settime, {fixed(2, in, sizeof(itimerspec)), fixed(3, out, sizeof(itimerspec))}},
    Row{SYS_timer_gettime, {fixed(1, out, sizeof(itimerspec))}},
    Row{SYS_timerfd_settime, {fixed(2, in, sizeof(itimerspec)), fixed(3, out, sizeof(itimerspec))}},
    Row{SYS_timerfd_gettime, {fixed(1, out, sizeof(itimerspec))}},
    Row{SYS_setitimer, {fixed(1, in, sizeof(itimerval)), fixed(2, out, sizeof(itimerval))}},
    Row{SYS_getitimer, {fixed(1, out, sizeof(itimerval))}},
    Row{SYS_mincore, {counted(2, out, 1)}},
};

class Collector {
  public:
    Collector(const user_regs_struct& registers, std::int64_t result, const TargetMemory& memory)
        : arguments_{registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9},
          result_(result),
          memory_(memory) {}

    void add(const Buffer& buffer) {
        // A call that fails may have read what it was given, and has written nothing.
        if (buffer.written && result_ < 0) return;
        const std::uint64_t address = arguments_[buffer.argument];
        switch (buffer.extent) {
            case Extent::Bytes:
                return add(address, buffer.bytes, buffer.written);
            case Extent::Argument:
                return add(address, arguments_[buffer.other] * buffer.bytes, buffer.written);
            case Extent::Result:
                return add(address, static_cast<std::uint64_t>(result_) * buffer.bytes, buffer.written);
            case Extent::Length: {
                const auto length = memory_.read_value<socklen_t>(RemoteAddress{arguments_[buffer.other]});
                return add(address, length ? length.value() : 0, buffer.written);
            }
            case Extent::Text:
                if (address == 0) return;
                return add(address, memory_.read_string(RemoteAddress{address}).size() + 1, buffer.written);
            case Extent::Pieces:
                return add_pieces(address, arguments_[buffer.other], buffer.written);
            case Extent::Message: {
                add(address, sizeof(msghdr), false);
                const auto header = memory_.read_value<msghdr>(RemoteAddress{address});
                if (!header) return;
                return add_pieces(reinterpret_cast<std::uint64_t>(header.value().msg_iov),
                                  header.value().msg_iovlen, buffer.written);
            }
        }
    }

    [[nodiscard]] std::vector<MemoryTouch> take() { return std::move(touches_); }

  private:
    void add(std::uint64_t address, std::uint64_t size, bool written) {
        constexpr std::uint64_t largest = std::uint64_t{1} << 30U;
        if (address != 0 && size != 0 && size <= largest)
            touches_.push_back({RemoteAddress{address}, size, !written, written});
    }

    void add_pieces(std::uint64_t array, std::uint64_t count, bool written) {
        constexpr std::uint64_t most = 1024;  // UIO_MAXIOV
        std::vector<iovec> all(std::min(count, most));
        if (memory_.read(RemoteAddress{array}, std::as_writable_bytes(std::span(all)))) return;
        add(array, all.size() * sizeof(iovec), false);
        std::uint64_t left = static_cast<std::uint64_t>(std::max<std::int64_t>(result_, 0));
        for (const iovec& piece : all) {
            const std::uint64_t size = written ? std::min<std::uint64_t>(piece.iov_len, left) : piece.iov_len;
            add(reinterpret_cast<std::uint64_t>(piece.iov_base), size, written);
            left -= std::min<std::uint64_t>(piece.iov_len, left);
        }
    }

    std::array<std::uint64_t, 6> arguments_;
    std::int64_t result_;
    const TargetMemory& memory_;
    std::vector<MemoryTouch> touches_;
};

}  // namespace

std::vector<MemoryTouch> buffers_of(const user_regs_struct& registers, long call, std::int64_t result,
                                    const TargetMemory& memory) {
    const auto* row = std::find_if(table.begin(), table.end(),
                                   [&](const Row& candidate) { return candidate.call == call; });
    if (row == table.end()) return {};
    Collector collector(registers, result, memory);
    for (const std::optional<Buffer>& buffer : row->buffers) {
        if (buffer) collector.add(*buffer);
    }
    return collector.take();
}

}  // namespace coopcheck::tracer
