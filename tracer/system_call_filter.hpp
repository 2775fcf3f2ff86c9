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

/// A seccomp filter that lets harmless system calls (system_calls.hpp) pass at full speed and stops the
/// target at all others. libseccomp cannot compare the instruction pointer, so the program is written out
/// here.
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
