#pragma once

#include <functional>
#include <optional>

#include "tracer/child_process.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// What stepping a thread through the code it is in has shown.
struct LoopExamination {
    /// Where the loop begins: the lowest instruction in its outermost function. Nothing if the thread is not
    /// in a loop that changes nothing.
    std::optional<RemoteAddress> head;
    /// Something else than the end of an instruction stopped the thread; it has to be dealt with.
    std::optional<WaitStatus> other_stop;
};

/// Looks whether a stopped process goes round in a loop that changes neither registers nor memory: it waits
/// for memory to be changed by somebody else. `is_operation` tells of instructions that must not be stepped
/// over (those with breakpoints). The process stands somewhere else afterwards, as if it had run on.
[[nodiscard]] LoopExamination examine_loop(ChildProcess& process, const TargetMemory& memory,
                                           const std::function<bool(RemoteAddress)>& is_operation);

}  // namespace coopcheck::tracer
