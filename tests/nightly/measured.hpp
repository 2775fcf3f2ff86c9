#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace coopcheck::testing {

/// The cells of the papers' tables that have been measured, in a file that is written after each, so that an
/// interrupted measurement can be gone on with. A cell is an object with "table", "command", "column".
class Measured {
  public:
    using Clock = std::chrono::steady_clock;

    /// Begins with what is in the file already.
    Measured(long seconds, std::string file);

    [[nodiscard]] bool is_over() const { return Clock::now() >= end_; }
    /// What one cell may take: a search that is hopeless is not to take the night.
    [[nodiscard]] int seconds_for_one() const { return seconds_for_one_; }

    /// Measures what is not known yet, and writes it down at once.
    void cell(const std::string& table, const std::string& command, const std::string& column,
              const std::function<nlohmann::json()>& measure);

    /// The number of cells that were not known and could not be measured any more.
    [[nodiscard]] std::size_t left() const { return left_; }

  private:
    Clock::time_point end_;
    int seconds_for_one_;
    std::string file_;
    nlohmann::json rows_ = nlohmann::json::object();
    std::size_t left_ = 0;
};

}  // namespace coopcheck::testing
