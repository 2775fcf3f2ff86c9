#pragma once

#include <unistd.h>

#include <utility>

namespace coopcheck::tracer {

/// An open file of ours, closed with the object.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }
    void reset() {
        if (number_ != -1) ::close(number_);
        number_ = -1;
    }

  private:
    int number_ = -1;
};

}  // namespace coopcheck::tracer
