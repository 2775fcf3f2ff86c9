#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/footprint.hpp"
#include "explorer/strategy.hpp"

namespace coopcheck {

/// Partial order sampling (Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018): every pending
/// operation has a random priority of its own and the highest that can go on comes next; then the pending
/// operations that conflict with it draw again. Operations that depend on nothing so do not dilute the orders
/// of those that do: the probability of an order of m operations against one is about 1/m, where a random
/// walk has 2^-m.
class PosStrategy : public Strategy {
  public:
    explicit PosStrategy(std::uint64_t seed) : seed_(seed), random_(seed) {}

    [[nodiscard]] std::string name() const override;
    void begin_run(std::size_t run) override;
    Choice choose(const Turn& turn) override;

  private:
    std::optional<std::uint64_t>& priority(ThreadId thread);

    std::uint64_t seed_;
    RandomStream random_;
    std::vector<std::optional<std::uint64_t>> priorities_;  // of each thread's pending operation
    Footprint chosen_;
    Footprint other_;
};

}  // namespace coopcheck
