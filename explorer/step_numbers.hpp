#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explorer/event.hpp"
#include "explorer/event_order.hpp"

namespace coopcheck {

/// Of steps that contain all that happens before them: how many of each thread, by its index.
using EventCounts = std::vector<std::uint32_t>;

[[nodiscard]] inline std::uint32_t count_of(const EventCounts& counts, std::size_t thread) {
    return thread < counts.size() ? counts[thread] : 0;
}

/// A number for each step of a run: the same for equal steps after equal ones, different otherwise but for
/// accidents of 64 bits. Steps that are not ordered do not count for each other. So the sum of the numbers of
/// a set of steps that contains what happens before them tells it from others, in whichever order they were
/// made; that of a whole run is one of its class.
class StepNumbers {
  public:
    void clear();
    /// Of the next step of the run.
    std::uint64_t add(const Event& event);
    /// How many steps of each thread come before the last one; itself included.
    [[nodiscard]] const EventCounts& after() const { return order_.times(last_); }
    [[nodiscard]] std::uint64_t sum() const { return sum_; }

  private:
    EventOrder order_;
    std::vector<std::vector<std::uint64_t>> of_thread_;
    std::size_t last_ = 0;
    std::uint64_t sum_ = 0;
};

}  // namespace coopcheck
