#include "tracer/target_memory.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace coopcheck::tracer {

namespace {

iovec remote(RemoteAddress address, std::size_t size) {
    return {reinterpret_cast<void*>(number(address)), size};
}

/// The kernel reports a transfer that stops at an unmapped page as a short count, not as an error.
std::error_code complete(ssize_t done, std::size_t wanted) {
    if (done == -1) return last_error();
    if (static_cast<std::size_t>(done) != wanted) return std::make_error_code(std::errc::bad_address);
    return {};
}

}  // namespace

std::error_code TargetMemory::read(RemoteAddress from, std::span<std::byte> to) const {
    const iovec local{to.data(), to.size()};
    const iovec there = remote(from, to.size());
    const auto error =
        complete(::process_vm_readv(static_cast<pid_t>(process_), &local, 1, &there, 1, 0), to.size());
    return error && reaches_closed_ ? transfer(from, to, false) : error;
}

std::error_code TargetMemory::read(RemoteAddress from, std::span<std::byte> to, RemoteAddress also_from,
                                   std::span<std::byte> also_to) const {
    const std::array<iovec, 2> local{{{to.data(), to.size()}, {also_to.data(), also_to.size()}}};
    const std::array<iovec, 2> there{remote(from, to.size()), remote(also_from, also_to.size())};
    const auto error =
        complete(::process_vm_readv(static_cast<pid_t>(process_), local.data(), 2, there.data(), 2, 0),
                 to.size() + also_to.size());
    if (!error || !reaches_closed_) return error;
    if (const auto first = read(from, to)) return first;
    return also_to.empty() ? std::error_code{} : read(also_from, also_to);
}

std::error_code TargetMemory::write(RemoteAddress to, std::span<const std::byte> from) const {
    const iovec local{const_cast<std::byte*>(from.data()), from.size()};
    const iovec there = remote(to, from.size());
    const auto error =
        complete(::process_vm_writev(static_cast<pid_t>(process_), &local, 1, &there, 1, 0), from.size());
    return error && reaches_closed_ ? write_code(to, from) : error;
}

std::error_code TargetMemory::write_code(RemoteAddress to, std::span<const std::byte> from) const {
    return transfer(to, std::span(const_cast<std::byte*>(from.data()), from.size()), true);
}

std::error_code TargetMemory::transfer(RemoteAddress there, std::span<std::byte> here, bool write) const {
    // /proc/PID/mem ignores the protection of the page, as PTRACE_POKETEXT does, in one call.
    const std::string path = "/proc/" + std::to_string(static_cast<pid_t>(process_)) + "/mem";
    const int file = ::open(path.c_str(), (write ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    if (file == -1) return last_error();
    const auto position = static_cast<off_t>(number(there));
    const ssize_t done = write ? ::pwrite(file, here.data(), here.size(), position)
                               : ::pread(file, here.data(), here.size(), position);
    const auto error = complete(done, here.size());
    ::close(file);
    return error;
}

std::string TargetMemory::read_string(RemoteAddress from, std::size_t limit) const {
    constexpr std::size_t page = 4096;
    std::string text;
    std::array<std::byte, 256> chunk{};
    while (text.size() < limit) {
        // Never across a page, so that what follows the text in memory does not matter.
        const RemoteAddress next = from + text.size();
        const std::size_t size = std::min({chunk.size(), page - number(next) % page, limit - text.size()});
        if (read(next, std::span(chunk).first(size))) return text;
        const auto* begin = reinterpret_cast<const char*>(chunk.data());
        const auto* end = std::find(begin, begin + size, '\0');
        text.append(begin, end);
        if (end != begin + size) return text;
    }
    return text;
}

}  // namespace coopcheck::tracer
