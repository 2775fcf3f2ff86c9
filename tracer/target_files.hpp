#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tracer/result.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// What can be behind a descriptor, as far as waiting is concerned.
enum class FileKind : std::uint8_t {
    Plain,    ///< a file, a folder, a device that never lets anybody wait
    Random,   ///< /dev/random, /dev/urandom
    Channel,  ///< a pipe, an eventfd, a timerfd: only the program itself can make it ready
    Epoll,    ///< ready when one of those it watches is
    Outside,  ///< a socket, a terminal ...: somebody else may make it ready
};

/// A descriptor of the target, borrowed: ours refers to the same open file until the object goes.
class BorrowedFile {
  public:
    /// Fails with EBADF when the target has no such descriptor.
    [[nodiscard]] static Result<std::shared_ptr<const BorrowedFile>> borrow(ProcessId process, int file);
    ~BorrowedFile();
    BorrowedFile(const BorrowedFile&) = delete;
    BorrowedFile& operator=(const BorrowedFile&) = delete;

    [[nodiscard]] int descriptor() const { return file_; }
    [[nodiscard]] FileKind kind() const { return kind_; }
    [[nodiscard]] bool never_waits() const;
    /// "pipe", "eventfd", "socket" ...
    [[nodiscard]] const std::string& description() const { return description_; }

  private:
    explicit BorrowedFile(int file);
    int file_;
    FileKind kind_ = FileKind::Plain;
    std::string description_;
};

/// Whether poll() of these descriptors of the target would return at once. One that does not exist is ready:
/// using it fails without waiting. Waits up to `patience_ms` itself.
[[nodiscard]] bool are_ready(ProcessId process, const std::vector<pollfd>& files, int patience_ms = 0);

}  // namespace coopcheck::tracer
