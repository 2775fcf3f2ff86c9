#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explorer/strategy.hpp"

namespace coopcheck {

struct PctOptions {
    std::uint64_t seed = 0;
    /// The number of ordering constraints between operations of different threads that a bug needs; at
    /// least 1.
    unsigned depth = 3;
};

/// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler
/// with probabilistic guarantees of finding bugs, ASPLOS 2010). Every thread has a random priority, the
/// highest that can go on runs; at depth-1 random steps the thread that made the step falls below all initial
/// priorities. A bug of that depth is found by a run with probability at least 1 / (n k^(depth-1)), n threads
/// and k steps.
///
/// The first runs are profiles: n and k are what the longest run so far had. A run counts for the guarantee
/// only if its change points were drawn among as many steps as any run so far has needed.
class PctStrategy : public Strategy {
  public:
    explicit PctStrategy(PctOptions options);

    [[nodiscard]] std::string name() const override;
    void begin_run(std::size_t run) override;
    Choice choose(const Turn& turn) override;
    void stepped(ThreadId thread, const StepResult& step, const Execution& execution) override;
    void end_run(bool complete) override;
    [[nodiscard]] std::string guarantee() const override;

    [[nodiscard]] std::size_t threads() const { return threads_; }
    [[nodiscard]] std::size_t steps() const { return steps_; }
    /// Runs that count for the guarantee.
    [[nodiscard]] std::size_t counted_runs() const { return counted_runs_; }
    /// The least probability with which one run finds a bug of this depth; 0 before the first profile.
    [[nodiscard]] double bound_per_run() const;
    /// And all the counted runs together.
    [[nodiscard]] double bound() const;

  private:
    std::uint64_t& priority(ThreadId thread);

    PctOptions options_;
    RandomStream random_;
    std::size_t threads_ = 0;
    std::size_t steps_ = 0;
    std::size_t counted_runs_ = 0;
    bool has_variants_ = false;

    // Of the present run.
    std::vector<std::uint64_t> priorities_;  // 0: not drawn yet
    std::vector<std::size_t> change_points_;
    std::size_t step_ = 0;
};

}  // namespace coopcheck
