#pragma once

#include <map>
#include <string>

namespace coopcheck::tracer {

/// Tells which files may contain instructions that read the time stamp counter (rdtsc, rdtscp). Programs that
/// have none are spared from having the counter switched off, which makes the kernel write a control register
/// whenever it switches between us and the target: where that register belongs to a hypervisor it costs as
/// much as the stop itself.
class TimeStampReads {
  public:
    /// True when in doubt. The files of the C and C++ runtime count as having none: the dynamic linker has
    /// its statistics and libc the length of its spinning (adaptive mutexes, which the model answers for)
    /// from the counter, and nothing that a program could see.
    [[nodiscard]] bool may_be_in(const std::string& path);

  private:
    std::map<std::string, bool> known_;
};

}  // namespace coopcheck::tracer
