#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explorer/decision_history.hpp"
#include "explorer/strategy.hpp"

namespace coopcheck {

struct HistoryOptions {
    std::uint64_t seed = 0;
    /// The text for a site, the same in every run of the tool; if empty, the number itself.
    std::function<std::string(std::uint64_t)> site_name;
};

/// Cooperari's history-dependent policy (section 4.3.3). The abstract state is how many ready threads are
/// parked at each position: site, operation and object, all by name. A decision (position, and variant where
/// there is a choice) that was never taken in this state comes first; when all have been taken, any thread,
/// as UniformStrategy does. Which threads these are does not count, so threads that do the same are one.
class HistoryStrategy : public Strategy {
  public:
    explicit HistoryStrategy(HistoryOptions options) : options_(std::move(options)), random_(options_.seed) {}

    [[nodiscard]] std::string name() const override;
    void begin_run(std::size_t run) override { random_ = RandomStream(options_.seed, run); }
    Choice choose(const Turn& turn) override;

    /// What is remembered across runs; load it before the first, save it after the last.
    [[nodiscard]] const DecisionHistory& history() const { return history_; }
    void set_history(DecisionHistory history) { history_ = std::move(history); }
    /// Decisions of which all alternatives had been taken before.
    [[nodiscard]] std::size_t repeated() const { return repeated_; }

  private:
    [[nodiscard]] std::string position(const Operation& operation, const Names& names) const;

    HistoryOptions options_;
    RandomStream random_;
    DecisionHistory history_;
    std::size_t repeated_ = 0;
};

}  // namespace coopcheck
