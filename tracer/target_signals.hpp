#pragma once

#include <csignal>
#include <cstdint>

#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A set of signals as the kernel has it: bit n - 1 for signal n.
using SignalSet = std::uint64_t;

[[nodiscard]] constexpr SignalSet set_of(int signal) {
    return SignalSet{1} << static_cast<unsigned>(signal - 1);
}
[[nodiscard]] constexpr bool contains(SignalSet set, int signal) { return (set & set_of(signal)) != 0; }

/// A signal that has been sent and not yet been taken.
struct PendingSignal {
    int number = 0;
    siginfo_t info{};
};

/// What a process does with its signals.
struct TargetSignals {
    SignalSet caught = 0;
    SignalSet ignored = 0;
    /// In the kernel, not to be confused with those of virtual threads.
    SignalSet pending = 0;

    /// Whether it would end the process.
    [[nodiscard]] bool is_fatal(int signal) const;
};

[[nodiscard]] TargetSignals read_signals(ProcessId process);

}  // namespace coopcheck::tracer
