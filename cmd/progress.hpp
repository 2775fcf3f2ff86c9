#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/run_summary.hpp"
#include "explorer/search_listener.hpp"

namespace coopcheck::cmd {

/// How many preemptions the steps have.
[[nodiscard]] unsigned preemptions_of(const std::vector<StepRecord>& steps);

/// The path's end alone tells that something is wrong.
[[nodiscard]] bool is_failing(const PathReport& report);

/// Watches a search: one line on a terminal that says how far it is, and samples of that for the report.
/// A path costs a look at the clock; the line is written ten times a second at most.
class Progress : public SearchListener {
  public:
    struct Options {
        /// Whether our standard error is a terminal that wants to see it.
        bool show = false;
        std::vector<BoundEstimate> estimates;
    };

    /// `next` is told everything too; it may be null.
    Progress(Options options, SearchListener* next);
    /// Takes the line away.
    ~Progress() override;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void path(const PathReport& report) override;
    void start_over() override;

    /// What others have run, all of them together, since this was last told that they begin (with nothing).
    struct Elsewhere {
        std::size_t schedules = 0;
        std::size_t failing = 0;
        unsigned bound = 0;
    };
    void note(const Elsewhere& elsewhere);
    /// A run that was judged as bad, of which its end alone tells nothing.
    void note_bad_run() { failing_ += 1; }
    /// Something else is going on now: "minimizing".
    void say(const std::string& words);
    void erase();

    [[nodiscard]] const std::vector<ProgressSample>& samples() const { return samples_; }
    [[nodiscard]] double seconds() const;
    /// What the line says now.
    [[nodiscard]] std::string line() const;

  private:
    using Clock = std::chrono::steady_clock;

    void count(std::size_t schedules, unsigned bound);
    void take_sample(double seconds);
    void show();
    void draw(const std::string& text);
    /// Schedules that are probably left at this bound; below 0 if that is not known.
    [[nodiscard]] double remainder() const;

    Options options_;
    SearchListener* next_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_line_ = start_;
    double sample_distance_s_ = 0.01;
    double next_sample_s_ = 0;
    std::size_t schedules_ = 0;
    std::size_t failing_ = 0;
    unsigned bound_ = 0;
    Elsewhere elsewhere_;
    /// PathReport::explored of the last path.
    double explored_ = -1;
    /// It is about the present bound alone.
    bool is_bounded_ = false;
    /// Schedules run at each number of preemptions.
    std::vector<std::size_t> at_bound_;
    std::vector<ProgressSample> samples_;
    bool drawn_ = false;
};

/// Whether standard error is a terminal on which a line can be drawn.
[[nodiscard]] bool can_show_progress();

}  // namespace coopcheck::cmd
