#pragma once

#include <cstdint>

namespace coopcheck::testing {

/// splitmix64: the same numbers from the same seed on any machine, which the distributions of the standard
/// library do not promise.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31U);
    }

    /// From 0 to count - 1; count is at least 1.
    int below(int count) {
        return static_cast<int>(((next() >> 32U) * static_cast<std::uint64_t>(count)) >> 32U);
    }
    /// Both ends included.
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }

  private:
    std::uint64_t state_;
};

}  // namespace coopcheck::testing
