#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace coopcheck::tracer {

/// Numbers that no kernel gives a meaning to (the table ends below 1000): what a program says to us through
/// coopcheck.h. Without us they fail with ENOSYS.
enum class Request : std::uint32_t {
    Assert = 7700,
    Choose = 7701,
    Yield = 7702,
    RegionBegin = 7703,
    RegionEnd = 7704,
    Count_ = 7705,
};

/// System calls of Linux 6.7, younger than the headers.
inline constexpr int futex_wake_call = 454;
inline constexpr int futex_wait_call = 455;
inline constexpr int futex_requeue_call = 456;

/// Its name, or its number if it has none that we know.
[[nodiscard]] std::string system_call_name(int system_call);

/// A seccomp filter that stops the target at the system calls coopcheck answers itself and lets all others
/// pass at full speed. libseccomp cannot compare the instruction pointer, so the program is written out here.
class SystemCallFilter {
  public:
    SystemCallFilter();

    /// Puts the filter in force for the calling process. Returns an errno, 0 for success. Safe between fork
    /// and exec.
    [[nodiscard]] int load() const;

  private:
    std::vector<sock_filter> program_;
};

}  // namespace coopcheck::tracer
