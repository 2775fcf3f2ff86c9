#pragma once

#include <cstdint>

namespace coopcheck {

/// splitmix64, with its own uniform integers: the same numbers from the same seed on any machine, which the
/// distributions of the standard library do not promise.
class RandomStream {
  public:
    explicit RandomStream(std::uint64_t seed) : state_(seed) {}
    /// The stream of the nth run of a search: any run can be had again without those before it.
    RandomStream(std::uint64_t seed, std::uint64_t run) : state_(seed) {
        state_ = next() ^ RandomStream(run).next();
    }

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31U);
    }

    /// From 0 to count - 1, each equally likely; count is at least 1.
    std::uint64_t below(std::uint64_t count) {
        // The first 2^64 mod count numbers are refused, so that every remainder has as many numbers as any
        // other.
        const std::uint64_t refused = (0 - count) % count;
        for (;;) {
            const std::uint64_t number = next();
            if (number >= refused) {
                return number % count;
            }
        }
    }

    /// True with the given probability, to 53 bits.
    bool chance(double probability) { return static_cast<double>(next() >> 11U) * 0x1p-53 < probability; }

  private:
    std::uint64_t state_;
};

}  // namespace coopcheck
