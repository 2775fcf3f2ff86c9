#pragma once

#include "tracer/target_signals.hpp"
#include "tracer/virtual_clock.hpp"

namespace coopcheck::tracer {

/// A timer of the program: alarm, setitimer, timer_create or timerfd. Runs on the virtual clock. A plain
/// value.
struct VirtualTimer {
    enum class Kind : std::uint8_t { Interval, Posix, File };
    /// What happens when it expires.
    enum class Expiry : std::uint8_t { Nothing, SignalToProcess, SignalToThread, FileReady };

    Kind kind = Kind::Interval;
    /// Which one of its kind: ITIMER_REAL ..., the id of timer_create, the descriptor.
    int id = 0;
    Expiry expiry = Expiry::Nothing;
    PendingSignal signal;
    /// The thread's id in the kernel, as the program believes it to be.
    int thread = 0;
    /// Runs on time that the process spends, which is not counted here: never expires.
    bool measures_work = false;
    /// 0 when it is not armed.
    VirtualTime deadline = 0;
    VirtualTime interval = 0;

    [[nodiscard]] bool armed() const { return deadline != 0 && !measures_work; }
};

}  // namespace coopcheck::tracer
