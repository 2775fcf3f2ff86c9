#pragma once

#include <functional>
#include <optional>

#include "tracer/child_process.hpp"
#include "tracer/file_descriptor.hpp"

namespace coopcheck::tracer {

/// A process between us and a program that is not traced. The kernel kills a program's children with nobody,
/// so the keeper does: it adopts whatever the program leaves behind (PR_SET_CHILD_SUBREAPER), and kills all
/// of it when the program has ended, when it is told to, and when we are gone.
class Keeper {
  public:
    /// `body` is run in the program's process, as in ChildProcess.
    explicit Keeper(const std::function<int()>& body);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// Waits that long for the program's end; nothing if it has not ended. Once it has, so has everything
    /// that it left behind.
    [[nodiscard]] std::optional<WaitStatus> wait(int timeout_ms);

  private:
    [[nodiscard]] int keep(const std::function<int()>& body);

    /// We hold the end that the keeper does not read from: it is told by its closing.
    FileDescriptor tell_;
    FileDescriptor told_;
    /// It writes how the program ended.
    FileDescriptor report_;
    FileDescriptor reported_;
    std::optional<ChildProcess> process_;
};

}  // namespace coopcheck::tracer
