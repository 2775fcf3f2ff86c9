#pragma once

namespace coopcheck::cmd {

/// While it lives, SIGINT and SIGTERM ask for an orderly end instead of ending coopcheck; a second one ends
/// it at once (the kernel then kills what is traced).
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool was_interrupted();
};

}  // namespace coopcheck::cmd
