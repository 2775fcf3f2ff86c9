#include "tracer/target_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace coopcheck::tracer {

namespace {

/// "pipe:[1234]" gives "pipe", "anon_inode:[eventfd]" and "anon_inode:inotify" what comes after the colon.
std::string describe(int file) {
    std::array<char, 256> text{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), text.data(), text.size() - 1);
    if (size <= 0) return "file";
    std::string target(text.data(), static_cast<std::size_t>(size));
    constexpr std::string_view anonymous = "anon_inode:";
    if (target.starts_with(anonymous)) {
        target.erase(0, anonymous.size());
        std::erase_if(target, [](char letter) { return letter == '[' || letter == ']'; });
        return target;
    }
    return target.substr(0, target.find(":["));
}

FileKind kind_of_device(dev_t device) {
    constexpr unsigned memory_devices = 1;  // Documentation/admin-guide/devices.txt of the kernel
    if (major(device) != memory_devices) return FileKind::Outside;
    constexpr unsigned random = 8;
    constexpr unsigned urandom = 9;
    const unsigned which = minor(device);
    return which == random || which == urandom ? FileKind::Random : FileKind::Plain;
}

FileKind find_kind(int file, const std::string& description) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return FileKind::Plain;
    switch (status.st_mode & S_IFMT) {
        case S_IFREG:
        case S_IFDIR:
        case S_IFBLK:
        case S_IFLNK:
            return FileKind::Plain;
        case S_IFCHR:
            return kind_of_device(status.st_rdev);
        case S_IFIFO:
            // One with a name may have another process at its other end.
            return description == "pipe" ? FileKind::Channel : FileKind::Outside;
        default:
            break;
    }
    if (description == "eventfd" || description == "timerfd") return FileKind::Channel;
    return description == "eventpoll" ? FileKind::Epoll : FileKind::Outside;
}

}  // namespace

BorrowedFile::BorrowedFile(int file) : file_(file), description_(describe(file)) {
    kind_ = find_kind(file, description_);
}

BorrowedFile::~BorrowedFile() { ::close(file_); }

Result<std::shared_ptr<const BorrowedFile>> BorrowedFile::borrow(ProcessId process, int file) {
    // glibc 2.36 is the first with functions for these.
    const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
    if (handle == -1) return last_error();
    const auto ours = static_cast<int>(::syscall(SYS_pidfd_getfd, handle, file, 0));
    const std::error_code error = last_error();
    ::close(handle);
    if (ours == -1) return error;
    return std::shared_ptr<const BorrowedFile>(new BorrowedFile(ours));
}

bool BorrowedFile::never_waits() const {
    const int flags = ::fcntl(file_, F_GETFL);
    return flags != -1 && (flags & O_NONBLOCK) != 0;
}

bool are_ready(ProcessId process, const std::vector<pollfd>& files, int patience_ms) {
    std::vector<std::shared_ptr<const BorrowedFile>> borrowed;
    std::vector<pollfd> ours;
    for (const pollfd& wanted : files) {
        if (wanted.fd < 0) continue;  // poll ignores these
        const auto file = BorrowedFile::borrow(process, wanted.fd);
        if (!file) return true;
        borrowed.push_back(file.value());
        ours.push_back({borrowed.back()->descriptor(), wanted.events, 0});
    }
    return ::poll(ours.data(), ours.size(), patience_ms) > 0;
}

}  // namespace coopcheck::tracer
