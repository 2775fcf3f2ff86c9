#pragma once

#include <cerrno>
#include <system_error>
#include <utility>
#include <variant>

#include "core/check.hpp"

namespace coopcheck::tracer {

/// A value, or the error with which the kernel refused it. value() of an error is a bug of the caller.
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : content_(std::move(value)) {}
    Result(std::error_code error) : content_(error) {}

    [[nodiscard]] explicit operator bool() const { return std::holds_alternative<T>(content_); }

    [[nodiscard]] const T& value() const {
        COOPCHECK_CHECK(*this, "the value of a call that failed: " + error().message());
        return std::get<T>(content_);
    }

    /// No error (an error code that is false) when there is a value.
    [[nodiscard]] std::error_code error() const {
        const auto* code = std::get_if<std::error_code>(&content_);
        return code ? *code : std::error_code{};
    }

  private:
    std::variant<T, std::error_code> content_;
};

/// What the last system call of this thread failed with.
[[nodiscard]] inline std::error_code last_error() { return {errno, std::generic_category()}; }

}  // namespace coopcheck::tracer
