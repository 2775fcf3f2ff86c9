#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "explorer/strategy.hpp"

namespace coopcheck {

struct SurwOptions {
    std::uint64_t seed = 0;
    /// All operations are interesting: the uniform random walk.
    bool all_operations = false;
    /// Otherwise those on so many shared objects or locations, chosen anew for every run.
    std::size_t locations = 1;
};

/// Selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency
/// Testing, ASPLOS 2025). Which thread makes the next interesting operation is drawn by weight: the number of
/// interesting operations the thread has still to make, those of threads it has yet to create included. That
/// thread is the intended one; others that come to an interesting operation are held there until it has made
/// its own. Who makes the uninteresting operations is drawn uniformly. If the counts are right and nothing
/// blocks, all orders of the interesting operations are equally likely.
///
/// The counts come from the first complete run, which chooses uniformly. A location is shared if at least two
/// threads operated on it there, one of them writing.
class SurwStrategy : public Strategy {
  public:
    explicit SurwStrategy(SurwOptions options) : options_(options), random_(options.seed) {}

    [[nodiscard]] std::string name() const override;
    void begin_run(std::size_t run) override;
    Choice choose(const Turn& turn) override;
    void stepped(ThreadId thread, const StepResult& step, const Execution& execution) override;
    void end_run(bool complete) override;

    /// The locations of which each run takes some; empty before the profile.
    [[nodiscard]] const std::vector<Location>& shared_locations() const { return shared_; }

  private:
    /// What one thread did in the profile run.
    struct ThreadProfile {
        ThreadId parent;
        std::size_t operations = 0;
        std::map<Location, std::size_t> on;
    };
    struct Sharing {
        std::set<ThreadId> threads;
        bool written = false;
    };

    [[nodiscard]] bool is_interesting(const Operation& operation) const;
    [[nodiscard]] std::size_t own_weight(const ThreadProfile& profile) const;
    void record(ThreadId thread, const Operation& operation);
    void select_locations();
    void weigh_threads();
    void draw_intended(const Turn& turn);

    std::size_t& weight(ThreadId thread);

    SurwOptions options_;
    RandomStream random_;
    bool profiled_ = false;
    std::map<ThreadId, ThreadProfile> profile_;
    std::map<Location, Sharing> sharing_;
    std::vector<Location> shared_;

    // Of the present run.
    std::set<Location> selected_;
    std::vector<std::size_t> weights_;
    ThreadId intended_;
};

}  // namespace coopcheck
