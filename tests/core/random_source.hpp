#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coopcheck {

/// Random numbers that are the same on every machine for the same seed (splitmix64).
class RandomSource {
  public:
    explicit RandomSource(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31U);
    }
    /// 0 ... bound - 1
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(next() % bound); }
    bool percent(std::uint32_t chance) { return below(100) < chance; }
    template <typename T>
    const T& one_of(const std::vector<T>& all) {
        return all[below(all.size())];
    }

  private:
    std::uint64_t state_;
};

}  // namespace coopcheck
