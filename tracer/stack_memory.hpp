#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tracer/result.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A stack that is about to be walked: what is nearest to its top is read at once, when something of it is
/// first asked for. Valid as long as the target does not run.
class StackMemory {
  public:
    StackMemory(const TargetMemory& memory, std::uint64_t top) : memory_(memory), top_(top) {}

    [[nodiscard]] Result<std::uint64_t> read(std::uint64_t address) {
        if (!is_read_) read_window();
        std::uint64_t value = 0;
        if (address >= top_ && address - top_ + sizeof value <= size_) {
            std::memcpy(&value, window_.data() + (address - top_), sizeof value);
            return value;
        }
        return memory_.read_value<std::uint64_t>(RemoteAddress{address});
    }

  private:
    void read_window() {
        is_read_ = true;
        // Never across a page, so that it does not matter where the stack ends.
        constexpr std::uint64_t page = 4096;
        size_ = std::min<std::uint64_t>(window_.size(), page - top_ % page);
        if (memory_.read(RemoteAddress{top_}, std::span(window_).first(size_))) size_ = 0;
    }

    const TargetMemory& memory_;
    std::uint64_t top_;
    bool is_read_ = false;
    std::uint64_t size_ = 0;
    std::array<std::byte, 512> window_;
};

}  // namespace coopcheck::tracer
