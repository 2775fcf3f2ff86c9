#pragma once

#include <cstddef>

#include "explorer/search_listener.hpp"

namespace coopcheck::cmd {

/// Counts the schedules that a search has run, over all its starts, and the steps of which they consist.
class ScheduleCounter : public SearchListener {
  public:
    explicit ScheduleCounter(SearchListener* next) : next_(next) {}

    void path(const PathReport& report) override {
        schedules_ += 1;
        steps_ += report.steps.size();
        if (next_ != nullptr) next_->path(report);
    }
    void start_over() override {
        if (next_ != nullptr) next_->start_over();
    }

    [[nodiscard]] std::size_t schedules() const { return schedules_; }
    [[nodiscard]] std::size_t steps() const { return steps_; }

  private:
    SearchListener* next_;
    std::size_t schedules_ = 0;
    std::size_t steps_ = 0;
};

}  // namespace coopcheck::cmd
