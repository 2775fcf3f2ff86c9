#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tracer/child_process.hpp"
#include "tracer/instruction.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// An instruction that reads the same memory again and again.
struct PolledMemory {
    RemoteAddress instruction{};
    MemoryTouch touch;
};

struct PollExamination {
    /// What the thread looks at in every turn of a short loop, where it finds the same each time, and does
    /// not write itself. Empty if it does something else.
    std::vector<PolledMemory> polled;
    /// Something else than the end of an instruction stopped the thread; it has to be dealt with.
    std::optional<WaitStatus> other_stop;
};

/// Steps a stopped process through the code it is in and looks whether it waits for memory to change. Unlike
/// examine_loop() it allows for a loop that does something meanwhile: counts, for example. `is_operation`
/// tells of instructions that must not be stepped over (those with breakpoints). The process stands somewhere
/// else afterwards, as if it had run on.
[[nodiscard]] PollExamination find_polled_memory(ChildProcess& process, const TargetMemory& memory,
                                                 const std::function<bool(RemoteAddress)>& is_operation);

}  // namespace coopcheck::tracer
