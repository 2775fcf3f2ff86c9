// What a run changes in the file system. It is not part of a copy of a process, so from the first change on a
// run is repeated from its start instead of copied.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "core/log.hpp"
#include "tracer/file_descriptor.hpp"
#include "tracer/must.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

std::string Run::absolute_path(int folder, RemoteAddress where) const {
    std::string path = memory_.read_string(where);
    if (path.empty() || path.starts_with('/')) return path;
    const std::string process = "/proc/" + std::to_string(static_cast<pid_t>(process_.id()));
    std::error_code error;
    const auto start = std::filesystem::read_symlink(
        folder == AT_FDCWD ? process + "/cwd" : process + "/fd/" + std::to_string(folder), error);
    return error ? "" : (start / path).string();
}

void Run::see_change(const std::string& path) {
    state_.cannot_be_copied = true;
    struct stat status {};
    if (path.empty() || created_files_.contains(path)) return;
    if (::lstat(path.c_str(), &status) != 0) {
        created_files_.add(path);
        return;
    }
    if (S_ISDIR(status.st_mode) || session_->told_about_files) return;
    session_->told_about_files = true;
    log::warning("The program changes the file '" + path +
                 "', which was there before; every schedule finds it as the one before left it.");
}

std::optional<std::string> Run::status_without_us(const std::string& path) const {
    // Programs look there for a debugger, and behave otherwise under one (doctest stops at a failed check).
    const std::string own = "/proc/" + std::to_string(state_.threads.front().kernel_id) + "/status";
    if (path != "/proc/self/status" && path != "/proc/thread-self/status" && path != own) return std::nullopt;
    std::ifstream file("/proc/" + std::to_string(static_cast<pid_t>(process_.id())) + "/status");
    constexpr std::string_view field = "TracerPid:";
    std::string content;
    for (std::string line; std::getline(file, line);) {
        content += line.starts_with(field) ? std::string(field) + "\t0" : line;
        content += '\n';
    }
    return content;
}

std::int64_t Run::open_content(const std::string& content, std::uint64_t flags) {
    if ((flags & O_ACCMODE) != O_RDONLY) return -EACCES;
    const FileDescriptor file(::memfd_create("status", MFD_CLOEXEC));
    std::size_t written = 0;
    while (written < content.size()) {
        const ssize_t count = ::write(file.number(), content.data() + written, content.size() - written);
        if (count <= 0) return -EMFILE;
        written += static_cast<std::size_t>(count);
    }
    // By this name the program gets the file as its own, and it stays when ours is closed.
    const std::string name =
        "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.number()) + '\0';
    must(memory_.write(scratch::data, std::as_bytes(std::span(name))));
    return call_in_target(SYS_open, number(scratch::data), flags, 0);
}

Run::Next Run::on_open(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    if (state_.started) state_.has_files = true;
    const bool by_folder = registers.orig_rax == SYS_openat || registers.orig_rax == SYS_openat2;
    const std::string path =
        by_folder ? absolute_path(static_cast<int>(registers.rdi), RemoteAddress{registers.rsi})
                  : absolute_path(AT_FDCWD, RemoteAddress{registers.rdi});
    std::uint64_t flags = by_folder ? registers.rdx : registers.rsi;
    if (registers.orig_rax == SYS_creat) flags = O_CREAT | O_WRONLY | O_TRUNC;
    if (registers.orig_rax == SYS_openat2) {
        flags = 0;  // struct open_how starts with them
        if (const auto how = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rdx}))
            flags = how.value();
    }
    if (const auto content = status_without_us(path)) return answer(thread, open_content(*content, flags));
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))) {
        state_.has_channels = true;
        if (S_ISFIFO(status.st_mode)) state_.cannot_be_copied = true;
    }
    const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (unnamed) state_.cannot_be_copied = true;  // copies would share it
    if (!unnamed && ((!exists && (flags & O_CREAT) != 0) || (exists && S_ISREG(status.st_mode) && writes)))
        see_change(path);
    return Next::Resume;
}

Run::Next Run::on_change_of_file(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const auto path_at = [&](std::uint64_t folder, std::uint64_t where) {
        see_change(absolute_path(static_cast<int>(folder), RemoteAddress{where}));
    };
    const auto here = static_cast<std::uint64_t>(AT_FDCWD);
    switch (registers.orig_rax) {
        case SYS_unlink:
        case SYS_rmdir:
        case SYS_truncate:
        case SYS_mkdir:
        case SYS_mknod:
            path_at(here, registers.rdi);
            break;
        case SYS_unlinkat:
        case SYS_mkdirat:
        case SYS_mknodat:
            path_at(registers.rdi, registers.rsi);
            break;
        case SYS_rename:
            path_at(here, registers.rdi);
            [[fallthrough]];
        case SYS_link:
        case SYS_symlink:
            path_at(here, registers.rsi);
            break;
        case SYS_symlinkat:
            path_at(registers.rsi, registers.rdx);
            break;
        case SYS_renameat:
        case SYS_renameat2:
            path_at(registers.rdi, registers.rsi);
            [[fallthrough]];
        case SYS_linkat:
            path_at(registers.rdx, registers.r10);
            break;
        default:
            break;
    }
    return Next::Resume;
}

}  // namespace coopcheck::tracer
