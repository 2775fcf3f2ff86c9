#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace coopcheck {

/// How much a search may do.
struct BudgetLimits {
    std::size_t schedules = std::numeric_limits<std::size_t>::max();
    std::size_t steps = std::numeric_limits<std::size_t>::max();
    /// Asked between blocks: a reason to stop at once, in words for the claim ("the time limit of 60 s was
    /// reached").
    std::function<std::optional<std::string>()> interruption;
};

/// Of a limit, which may be none.
[[nodiscard]] inline std::size_t remaining(std::size_t limit, std::size_t spent) {
    if (limit == std::numeric_limits<std::size_t>::max()) {
        return limit;
    }
    return limit > spent ? limit - spent : 0;
}

/// What a search has spent, over all its starts.
class Budget {
  public:
    explicit Budget(BudgetLimits limits) : limits_(std::move(limits)) {}

    void spend_steps(std::size_t count) { steps_ += count; }
    void spend_schedule() { schedules_ += 1; }

    /// True from the moment on when the search has to stop; reason() then says why.
    [[nodiscard]] bool is_spent();
    [[nodiscard]] const std::string& reason() const { return reason_; }
    [[nodiscard]] std::size_t schedules() const { return schedules_; }
    [[nodiscard]] std::size_t steps() const { return steps_; }

  private:
    BudgetLimits limits_;
    std::size_t schedules_ = 0;
    std::size_t steps_ = 0;
    std::string reason_;
};

}  // namespace coopcheck
