#pragma once

#include <sys/user.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "tracer/modules.hpp"
#include "tracer/source_lines.hpp"
#include "tracer/target_memory.hpp"
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

    /// Memory of the heap that a pointer or reference leads to.
    struct Block {
        RemoteAddress address{};
        /// Where it was allocated, if that is known; 0 otherwise.
        std::uint64_t start = 0;
    };
    /// By the type that a variable of a function points to, and the member: "Account.lock". `registers` are
    /// known of the first of the frames, and of the second as well if the first is at its first instruction.
    [[nodiscard]] std::string through_local(const Block& block, std::span<const StackFrame> frames,
                                            const user_regs_struct& registers, bool at_entry,
                                            const Modules& modules, const TargetMemory& memory);
    /// By a global variable that points to it: "head->next", "table[3]".
    [[nodiscard]] std::string through_global(const Block& block, const Modules& modules,
                                             const TargetMemory& memory);

  private:
    struct Index;
    Index& index_of(const Module& module);

    SourceLines& source_lines_;
    std::map<std::string, std::unique_ptr<Index>> indexes_;
};

}  // namespace coopcheck::tracer
