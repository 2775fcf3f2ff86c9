#pragma once

#include <cstdint>

#include "core/execution.hpp"
#include "core/ids.hpp"
#include "core/operation.hpp"

namespace coopcheck {

/// How a step came to be its thread's.
enum class SwitchKind : std::uint8_t {
    Start,       ///< the first step of the run
    Continue,    ///< the thread that ran before goes on
    Free,        ///< the one before could not go on, or offered to yield
    Preemption,  ///< the one before could have gone on
};

/// A thread that does this offers its turn to the others: leaving it afterwards costs nothing.
[[nodiscard]] bool offers_to_yield(OpKind kind);

/// Whether leaving `thread`, whose last operation was `done`, costs a preemption: it is alive, could carry
/// out what it is parked at, and did not offer to yield.
[[nodiscard]] bool wants_to_go_on(const Execution& execution, ThreadId thread, OpKind done);

/// Where a preemption is counted. `last` is invalid before the first step.
[[nodiscard]] constexpr SwitchKind switch_kind(ThreadId last, bool last_wants_to_go_on, ThreadId next) {
    if (!last.valid()) {
        return SwitchKind::Start;
    }
    if (last == next) {
        return SwitchKind::Continue;
    }
    return last_wants_to_go_on ? SwitchKind::Preemption : SwitchKind::Free;
}

/// Follows one run: whose turn it was. Ask before each step, tell after it.
class Turns {
  public:
    Turns() = default;
    Turns(ThreadId last, OpKind done) : last_(last), done_(done) {}

    [[nodiscard]] SwitchKind switch_to(const Execution& execution, ThreadId next) const;
    void made_step(ThreadId thread, OpKind done);

  private:
    ThreadId last_;
    OpKind done_ = OpKind::ThreadStart;
};

}  // namespace coopcheck
