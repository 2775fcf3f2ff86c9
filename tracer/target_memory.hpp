#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>

#include "tracer/result.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// The memory of a target process; a view that owns nothing. An address may come from the target and be
/// wrong, so reading and writing fail with a value (EFAULT), never with an exception.
class TargetMemory {
  public:
    explicit TargetMemory(ProcessId process) : process_(process) {}

    [[nodiscard]] std::error_code read(RemoteAddress from, std::span<std::byte> to) const;
    /// Two places with one system call.
    [[nodiscard]] std::error_code read(RemoteAddress from, std::span<std::byte> to, RemoteAddress also_from,
                                       std::span<std::byte> also_to) const;
    [[nodiscard]] std::error_code write(RemoteAddress to, std::span<const std::byte> from) const;
    /// Writes whatever the protection of the page: code, read-only data. Slower than write().
    [[nodiscard]] std::error_code write_code(RemoteAddress to, std::span<const std::byte> from) const;

    template <typename T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] Result<T> read_value(RemoteAddress from) const {
        T value{};
        if (const auto error = read(from, std::as_writable_bytes(std::span(&value, 1)))) return error;
        return value;
    }

    template <typename T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] std::error_code write_value(RemoteAddress to, const T& value) const {
        return write(to, std::as_bytes(std::span(&value, 1)));
    }

    /// The text that ends with a zero byte, cut after `limit` bytes; as much of it as can be read.
    [[nodiscard]] std::string read_string(RemoteAddress from, std::size_t limit = 4096) const;

    /// From now on memory that is closed (WatchedMemory) is read and written as well. What the program itself
    /// has made inaccessible can then not be told from it.
    void reach_closed_pages() { reaches_closed_ = true; }

  private:
    [[nodiscard]] std::error_code transfer(RemoteAddress there, std::span<std::byte> here, bool write) const;

    ProcessId process_;
    bool reaches_closed_ = false;
};

}  // namespace coopcheck::tracer
