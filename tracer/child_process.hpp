#pragma once

#include <functional>
#include <optional>

#include "tracer/target_types.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

/// A child of this process. It is killed and reaped when the object ends, and killed by the kernel when the
/// thread that made it ends first, so no child outlives coopcheck.
class ChildProcess {
  public:
    /// Forks. The child runs `body` and exits with what it returns, without running destructors or flushing
    /// streams; an exception out of `body` aborts the child.
    explicit ChildProcess(const std::function<int()>& body);
    /// Takes over a process that is already our child and our tracee (a copy of a target, made by the
    /// target).
    explicit ChildProcess(ProcessId adopted) : id_(adopted) {}
    ~ChildProcess();

    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] ProcessId id() const { return id_; }

    /// The next change of state. Never called again after the end (see is_end).
    WaitStatus wait();

    /// The same if there has been one already, without waiting.
    std::optional<WaitStatus> look();

    /// Kills the child if it still lives. Returns how it ended.
    WaitStatus kill_and_reap();

    [[nodiscard]] bool ended() const { return end_.has_value(); }

  private:
    ProcessId id_{0};  // 0 after a move: nobody
    std::optional<WaitStatus> end_;
};

}  // namespace coopcheck::tracer
