#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explorer/sample.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {

/// Pearson's statistic of how often things happened against the probabilities they should have. A thing that
/// should never happen and did makes it infinite.
[[nodiscard]] double chi_square(const std::map<std::string, std::size_t>& observed,
                                const std::map<std::string, double>& probabilities);
/// The value that chi_square() exceeds with probability 0.001 if the probabilities are right, by the
/// approximation of Wilson and Hilferty (13.8 for 2 degrees of freedom, where the table says 13.816).
[[nodiscard]] double critical_value(std::size_t degrees_of_freedom);

/// Runs main as long as it can go on, then starts all threads, and leaves the rest to another strategy: every
/// thread is then before its first operation, and probabilities can be worked out on paper.
class AfterStart : public Strategy {
  public:
    explicit AfterStart(Strategy& inner) : inner_(inner) {}
    [[nodiscard]] std::string name() const override { return inner_.name(); }
    void begin_run(std::size_t run) override { inner_.begin_run(run); }
    Choice choose(const Turn& turn) override;
    void stepped(ThreadId thread, const StepResult& step, const Execution& execution) override {
        inner_.stepped(thread, step, execution);
    }
    void end_run(bool complete) override { inner_.end_run(complete); }

  private:
    Strategy& inner_;
};

/// Runs the threads in the order given; each must be able to go on.
class Scripted : public Strategy {
  public:
    explicit Scripted(std::vector<std::string> threads) : threads_(std::move(threads)) {}
    [[nodiscard]] std::string name() const override { return "scripted"; }
    void begin_run(std::size_t /*run*/) override { next_ = 0; }
    Choice choose(const Turn& turn) override;

  private:
    std::vector<std::string> threads_;
    std::size_t next_ = 0;
};

/// Hears of every schedule: which sites it went through, in order (0 left out), and how it ended.
class Orders : public SearchListener {
  public:
    void path(const PathReport& report) override;
    std::map<std::string, std::size_t> counts;
    std::vector<std::string> in_order;
    std::vector<Schedule> schedules;
    std::size_t failed = 0;
    std::size_t deadlocked = 0;
};

/// Every strategy there is, made with a seed.
struct NamedStrategy {
    std::string name;
    std::function<std::unique_ptr<Strategy>(std::uint64_t seed)> make;
};
[[nodiscard]] const std::vector<NamedStrategy>& all_strategies();

/// The finding that running the schedule again shows; nothing if it shows none of that kind.
[[nodiscard]] std::optional<Finding> run_again(FiberExecution& execution, const Finding& finding);

/// The number of schedules of a program that has no yields, by running them all.
[[nodiscard]] std::size_t count_schedules(FiberExecution& execution);

/// Threads, created by main one after the other, that post semaphores: operations that never block. The
/// operation named "x" is on a semaphore that all share and has the site 100 * thread + its number among the
/// thread's, both from 1; "p" is on one of the thread's own and has no site.
[[nodiscard]] FiberProgram posting_threads(std::vector<std::string> threads);

}  // namespace coopcheck::testing
