#pragma once

#include <optional>
#include <string>

#include "core/execution.hpp"
#include "core/finding.hpp"
#include "core/verdict.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

/// A finding to be seen again: the same key, whatever the schedule.
class Wanted {
  public:
    /// `judge` decides about runs that end by themselves and may be empty.
    explicit Wanted(const Finding& finding, Judge judge = {});

    /// The wanted deadlock, if the program stands in it: a cycle of exactly the wanted waits, whoever closed
    /// it and whatever the other threads can still do; or everybody stuck in exactly those waits, without a
    /// cycle. The wanted race, if two threads are parked before its two accesses.
    [[nodiscard]] std::optional<Finding> in_state(const Execution& execution) const;
    /// The wanted finding, if the step just made ended the run with it or led into it.
    [[nodiscard]] std::optional<Finding> after(const Execution& execution, ThreadId thread,
                                               const StepResult& step) const;
    [[nodiscard]] bool is(const Finding& other) const { return other.key() == key_; }

  private:
    Finding finding_;
    std::string key_;
    Judge judge_;
};

}  // namespace coopcheck
