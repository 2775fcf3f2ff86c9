#pragma once

#include <array>
#include <optional>

namespace coopcheck::tracer {

/// What a child could not do before it became the program.
struct LaunchFailure {
    enum class Step : int { Trace, FixAddresses, Folder, Filter, Exec };
    Step step;
    int error;
};

/// In the child. Returns its exit code.
int tell_failure(int pipe, const LaunchFailure& failure);

/// Through which it is told: a pipe that a successful exec closes. Its ends close with the object.
class FailurePipe {
  public:
    FailurePipe();
    ~FailurePipe();
    FailurePipe(const FailurePipe&) = delete;
    FailurePipe& operator=(const FailurePipe&) = delete;

    [[nodiscard]] int child_end() const { return ends_[1]; }
    void close_child_end();
    /// What the child wrote before it ended; waits until all copies of the child's end are closed.
    [[nodiscard]] std::optional<LaunchFailure> read() const;

  private:
    std::array<int, 2> ends_{-1, -1};
};

}  // namespace coopcheck::tracer
