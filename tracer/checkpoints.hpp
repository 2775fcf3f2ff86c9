#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "core/execution.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer {

enum class CheckpointPolicy : std::uint8_t {
    Auto,   ///< where going back by replaying would cost more
    Every,  ///< at every node that is asked for
    Root,   ///< at the start of main only
    None,   ///< never: every way back is a new start of the program
};

/// A node, with what is needed to find out whether a replay came to the same one.
class TracedPlace : public Place {
  public:
    TracedPlace() = default;
    TracedPlace(std::shared_ptr<const Place> parent, Choice last, Operation done, int result)
        : Place(std::move(parent), last), done_(done), result_(result) {}

    /// What the step that led here did.
    [[nodiscard]] const Operation& done() const { return done_; }
    [[nodiscard]] int result() const { return result_; }

    /// A copy of the run as it was here, if there is one. Not part of what a place is, hence mutable.
    mutable std::unique_ptr<Run> checkpoint;

  private:
    Operation done_;
    int result_ = 0;
};

/// Decides where checkpoints are made, and which ones are dropped when there are too many.
class Checkpoints {
  public:
    struct Limits {
        std::size_t processes = 200;
        /// How much memory checkpoints leave to others; without it, half of what is available at first.
        std::optional<std::uint64_t> leave_free_bytes = std::nullopt;
        /// How often that is looked at. In so short a time no program writes to more than a few hundred
        /// megabytes.
        std::chrono::milliseconds look_interval{50};
    };

    explicit Checkpoints(CheckpointPolicy policy, Limits limits) : policy_(policy), limits_(limits) {}

    /// `steps_back`: how many steps would have to be replayed to come here again.
    [[nodiscard]] bool worth_it(std::size_t steps_back) const;
    [[nodiscard]] bool keeps_root() const { return policy_ != CheckpointPolicy::None; }

    /// Makes a checkpoint of `run` at `place`, dropping the oldest ones above the limit. When memory or
    /// processes get short there is none: it is only a shortcut. Returns whether it was made.
    bool make(const std::shared_ptr<const TracedPlace>& place, Run& run);
    /// Drops the older half of the checkpoints. False if there are none.
    bool drop_some();

    void step_took(std::chrono::nanoseconds time) { average(step_ns_, time); }

    [[nodiscard]] std::size_t made() const { return made_; }

  private:
    /// A copy shares its pages with the others until one of them writes, so what a checkpoint costs shows
    /// only later, and in nobody's account: what is left for everybody is the one thing that can be known
    /// cheaply.
    [[nodiscard]] bool has_memory();
    void forget_expired();
    void drop_oldest();

    static void average(double& mean_ns, std::chrono::nanoseconds sample) {
        constexpr double weight = 1.0 / 16;
        mean_ns += weight * (static_cast<double>(sample.count()) - mean_ns);
    }

    CheckpointPolicy policy_;
    Limits limits_;
    /// In the order in which they were made.
    std::list<std::weak_ptr<const TracedPlace>> held_;
    std::size_t made_ = 0;
    std::optional<std::chrono::steady_clock::time_point> looked_at_;
    bool enough_memory_ = true;
    // What was measured on the machine of the design, until we know better.
    double step_ns_ = 6'000;
    double copy_ns_ = 60'000;
};

}  // namespace coopcheck::tracer
