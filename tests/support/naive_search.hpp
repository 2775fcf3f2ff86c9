#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/fiber_execution.hpp"
#include "tests/support/outcomes.hpp"

namespace coopcheck::testing {

/// Runs every schedule of a small program on fibers, one by one, with every access to a variable a step of
/// its own. It takes part in no proof but this: that fibers and brute force mean the same by a program.
class NaiveSearch {
  public:
    struct Limits {
        std::size_t runs = 20'000;
        unsigned preemptions = 3;
    };

    NaiveSearch(FiberExecution& execution, Limits limits);

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] std::size_t runs() const { return runs_; }
    [[nodiscard]] Outcomes outcomes() const;
    /// Element b is what schedules with at most b preemptions lead to.
    [[nodiscard]] std::vector<Outcomes> outcomes_within() const;

  private:
    void explore(ThreadId last, unsigned preemptions);
    void step(ThreadId thread, Variant variant, unsigned preemptions);
    [[nodiscard]] Outcomes& at(unsigned preemptions);
    void note_end(const StepResult& result, ThreadId thread, unsigned preemptions);
    void note_deadlocks(unsigned preemptions);
    void follow(std::vector<ParkedThread>& path, unsigned preemptions);
    [[nodiscard]] BlockedThread blocked(const ParkedThread& parked) const;
    [[nodiscard]] std::string target_name(const Operation& operation) const;

    FiberExecution& execution_;
    Limits limits_;
    /// By the number of preemptions of the schedules that led there; the last element is for all larger
    /// numbers.
    std::vector<Outcomes> found_;
    std::size_t runs_ = 0;
    bool complete_ = true;
};

}  // namespace coopcheck::testing
