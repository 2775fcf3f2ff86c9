#include "tracer/site.hpp"

#include <optional>

namespace coopcheck::tracer {

std::uint64_t find_site(const StackFrame& innermost, const Modules& modules, const TargetMemory& memory,
                        SourceLines& source_lines, Unwinder& unwinder) {
    // Deeper than the libraries go before they call the program.
    constexpr int most_frames = 64;
    std::optional<StackFrame> frame = innermost;
    for (int nth = 0; frame && nth < most_frames; ++nth) {
        if (source_lines.is_programs_own(frame->next, modules)) return number(frame->next);
        frame = unwinder.caller(*frame, modules, memory);
    }
    return number(innermost.next);
}

}  // namespace coopcheck::tracer
