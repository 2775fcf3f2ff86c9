#pragma once

#include <unistd.h>

#include <utility>

namespace coopcheck::tracer {

/// A descriptor of this process that is closed with the object.
class OwnedFile {
  public:
    OwnedFile() = default;
    explicit OwnedFile(int descriptor) : descriptor_(descriptor) {}
    ~OwnedFile() {
        if (valid()) ::close(descriptor_);
    }
    OwnedFile(OwnedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    OwnedFile& operator=(OwnedFile&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    OwnedFile(const OwnedFile&) = delete;
    OwnedFile& operator=(const OwnedFile&) = delete;

    /// False when there was none to be had.
    [[nodiscard]] bool valid() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    int descriptor_ = -1;
};

}  // namespace coopcheck::tracer
