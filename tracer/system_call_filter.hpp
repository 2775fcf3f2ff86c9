#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
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

/// Which system calls stop the target.
enum class StopAt : std::uint8_t {
    Modelled,         ///< all but the harmless ones
    EverySystemCall,  ///< also those: what they point to may be closed (watched_memory.hpp)
};

/// A seccomp filter that lets harmless system calls (system_calls.hpp) pass at full speed and stops the
/// target at all others. libseccomp cannot compare the instruction pointer, so the program is written out
/// here.
class SystemCallFilter {
  public:
    /// Who is asked about a call that is not harmless: SECCOMP_RET_TRACE, SECCOMP_RET_USER_NOTIF.
    explicit SystemCallFilter(std::uint32_t stop, StopAt stop_at = StopAt::Modelled);

    [[nodiscard]] std::span<const sock_filter> instructions() const { return program_; }

    /// Puts the filter in force for the calling process. Returns an errno, 0 for success. Safe between fork
    /// and exec.
    [[nodiscard]] int load() const;

  private:
    std::vector<sock_filter> program_;
};

}  // namespace coopcheck::tracer
