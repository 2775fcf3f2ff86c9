#include "tracer/site.hpp"

#include <optional>

#include "tracer/stack_memory.hpp"

namespace coopcheck::tracer {

std::uint64_t find_site(const StackFrame& innermost, const Modules& modules, const TargetMemory& memory,
                        SourceLines& source_lines, Unwinder& unwinder) {
    // Deeper than the libraries go before they call the program.
    constexpr int most_frames = 64;
    std::optional<StackFrame> frame = innermost;
    StackMemory stack(memory, innermost.stack_pointer);
    for (int nth = 0; frame && nth < most_frames; ++nth) {
        if (source_lines.is_programs_own(frame->next, modules)) return number(frame->next);
        frame = unwinder.caller(*frame, modules, stack);
    }
    return number(innermost.next);
}

}  // namespace coopcheck::tracer
