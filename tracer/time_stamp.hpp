#pragma once

#include <sys/user.h>

#include "tracer/target_memory.hpp"
#include "tracer/virtual_clock.hpp"

namespace coopcheck::tracer {

/// The time stamp counter of the processor (rdtsc, rdtscp) would tell one run from another. It is switched
/// off by prctl(PR_SET_TSC), so that the instructions fault, and answered from the virtual clock: one tick a
/// nanosecond.
///
/// If the thread stands at such an instruction: sets its result and goes behind it. Otherwise false.
[[nodiscard]] bool answer_time_stamp(user_regs_struct& registers, const TargetMemory& memory,
                                     VirtualClock& clock);

}  // namespace coopcheck::tracer
