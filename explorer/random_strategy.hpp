#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explorer/strategy.hpp"

namespace coopcheck {

/// Cooperari's random policy (section 4.3.2): any thread that can go on, each with the same probability, with
/// no memory of past decisions.
class UniformStrategy : public Strategy {
  public:
    explicit UniformStrategy(std::uint64_t seed) : seed_(seed), random_(seed) {}

    [[nodiscard]] std::string name() const override;
    void begin_run(std::size_t run) override { random_ = RandomStream(seed_, run); }
    Choice choose(const Turn& turn) override;
    [[nodiscard]] bool is_uniform() const override { return true; }

  private:
    std::uint64_t seed_;
    RandomStream random_;
};

struct SwitchingOptions {
    std::uint64_t seed = 0;
    /// At least 0, less than 1. 1/8 is what the experiments of the paper use.
    double switch_probability = 1.0 / 8;
};

/// rstest's scheduling function (section 4 of Stoller's paper), called before every visible operation:
///
///     while (random number < switch probability) yield;
///
/// over a fair scheduler, here round robin: the thread that runs is the head of the ready list, a yield puts
/// it at the tail, and whoever is then the head is in the same loop. So the thread j places behind the head
/// of n comes next with probability p^j (1-p) / (1-p^n): none of them with probability 0, as a single `if`
/// would do. Threads that start, or can go on again, come in at the tail.
class SwitchingStrategy : public Strategy {
  public:
    explicit SwitchingStrategy(SwitchingOptions options);

    [[nodiscard]] std::string name() const override;
    void begin_run(std::size_t run) override;
    Choice choose(const Turn& turn) override;

  private:
    SwitchingOptions options_;
    RandomStream random_;
    std::vector<ThreadId> ready_;
};

}  // namespace coopcheck
