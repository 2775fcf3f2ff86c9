#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "tracer/modules.hpp"
#include "tracer/source_lines.hpp"
#include "tracer/target_types.hpp"
#include "tracer/unwinder.hpp"

namespace coopcheck::tracer {

/// What the source of the program calls its memory, from debug information: "account.lock", "forks[2]". For
/// people; names that have to be the same in every run are made by origin_of().
class VariableNames {
  public:
    explicit VariableNames(SourceLines& source_lines);
    ~VariableNames();
    VariableNames(const VariableNames&) = delete;
    VariableNames& operator=(const VariableNames&) = delete;

    /// A global or static variable; empty if none is known there.
    [[nodiscard]] std::string global(RemoteAddress address, const Modules& modules);
    /// A variable of a function that has not returned: one of these frames, the innermost first. Each frame
    /// ends where the next one's stack pointer is.
    [[nodiscard]] std::string local(RemoteAddress address, std::span<const StackFrame> frames,
                                    const Modules& modules);

  private:
    struct Index;
    Index& index_of(const Module& module);

    SourceLines& source_lines_;
    std::map<std::string, std::unique_ptr<Index>> indexes_;
};

}  // namespace coopcheck::tracer
