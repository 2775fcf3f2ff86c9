#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "core/noise.hpp"
#include "explorer/coverage.hpp"
#include "explorer/random_stream.hpp"

namespace coopcheck {

/// By which of ConTest's models of coverage noise is directed.
enum class NoiseModel : std::uint8_t {
    None,       ///< by chance alone
    Functions,  ///< to functions that have not been interrupted yet
    Pairs,      ///< to functions that have not been interrupted by those that other threads are in
};

struct NoiseOptions {
    NoiseKind kind = NoiseKind::Sleep;
    NoiseModel model = NoiseModel::None;
    std::uint64_t seed = 0;
    /// How likely there is noise at an operation: if it is not directed, where it could cover something new,
    /// and where it could not. The paper has 1 and 0 for the first model, and only says "higher" for the
    /// second.
    double probability = 0.2;
    double probability_of_new = 0.5;
    double probability_of_old = 0.05;
    /// Sleeps are equally likely to have any length up to this.
    std::chrono::microseconds longest{2'000};
};

/// Decides about noise at the operations of free runs. Knows nothing of processes; lives across runs.
///
/// Every thread of every run has random numbers of its own, so that what is decided for a thread depends on
/// its own operations (and on what is covered), not on how fast the others are.
class NoisePolicy {
  public:
    /// `coverage` is that of the runs before; the caller keeps it up to date.
    NoisePolicy(const NoiseOptions& options, const Coverage& coverage)
        : options_(options), coverage_(coverage) {}

    /// Before each run; counted from 0.
    void start(std::uint64_t run);
    [[nodiscard]] Noise decide(const NoisePoint& point);

  private:
    [[nodiscard]] double probability_at(const NoisePoint& point) const;
    [[nodiscard]] bool could_cover_pair(const NoisePoint& point) const;

    NoiseOptions options_;
    const Coverage& coverage_;
    std::uint64_t run_ = 0;
    std::map<ThreadId, RandomStream> streams_;
};

}  // namespace coopcheck
