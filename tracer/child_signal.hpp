#pragma once

#include <chrono>
#include <csignal>

namespace coopcheck::tracer {

/// Lets the calling thread wait for a change of state of any of its children with a time limit, which the
/// kernel's own ways to wait do not have: SIGCHLD is blocked for as long as the object lives and taken by
/// wait().
class ChildSignal {
  public:
    ChildSignal();
    ~ChildSignal();
    ChildSignal(const ChildSignal&) = delete;
    ChildSignal& operator=(const ChildSignal&) = delete;

    /// Until a child may have changed its state, at most that long. A thread of ours that does not block
    /// the signal may take it instead, so a limit should be short.
    void wait(std::chrono::microseconds limit) const;
    /// The signals that the thread blocked before.
    [[nodiscard]] const sigset_t& mask_before() const { return before_; }

  private:
    sigset_t before_{};
    sigset_t child_{};
};

}  // namespace coopcheck::tracer
