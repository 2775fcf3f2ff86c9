#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tracer/modules.hpp"
#include "tracer/stack_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A function that has not returned: the place in it, and what its caller can be found with.
struct StackFrame {
    /// Where it goes on: the place after the call that it waits for.
    RemoteAddress next{};
    std::uint64_t stack_pointer = 0;
    std::uint64_t frame_pointer = 0;
};

/// Finds callers by the call frame information that every program has for its exceptions (.eh_frame). What
/// was learnt about a place is kept, so that asking again costs no more than reading the stack.
class Unwinder {
  public:
    Unwinder();
    ~Unwinder();
    Unwinder(const Unwinder&) = delete;
    Unwinder& operator=(const Unwinder&) = delete;

    /// Nothing at the end of the stack, and where the information is missing or of a kind that compilers do
    /// not make for functions in C and C++.
    [[nodiscard]] std::optional<StackFrame> caller(const StackFrame& frame, const Modules& modules,
                                                   StackMemory& stack);

  private:
    struct File;
    std::map<std::string, std::unique_ptr<File>> files_;
};

}  // namespace coopcheck::tracer
