#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/execution.hpp"
#include "core/finding.hpp"
#include "explorer/race_detector.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/watch_state.hpp"

namespace coopcheck {

class RandomStream;
class Storage;

/// How often a schedule is run a second time with its accesses watched.
enum class RaceSampling : std::uint8_t {
    Off,
    /// The first schedules with each number of preemptions, every one that finds something, and as many of
    /// the others as can be watched in a moment, or with as much work again as the search itself does.
    Sample,
    Every,
};

/// Which accesses are operations, that is, places to switch at.
enum class Points : std::uint8_t {
    Sync,       ///< none
    Racy,       ///< those to memory that is accessed without protection, or atomically
    AllShared,  ///< those to memory that several threads access
};

struct RaceWatchOptions {
    RaceSampling races = RaceSampling::Sample;
    Points points = Points::Racy;
    /// How the search itself watches (data footprints): left at that.
    Watching search_watches = Watching::Off;
    /// Told what is seen; may be none.
    Storage* storage = nullptr;
    /// Asked in the middle of what may take long: an answer is a reason to leave it.
    std::function<std::optional<std::string>()> interruption = {};
};

/// Runs schedules of a search again with their accesses watched, looks for races, and makes the memory that
/// they are about visible. Stands between a search and its listener: it hears of every path and throws
/// LocationsLearnt when the search has to begin again. Only for executions that can_watch().
class RaceWatch : public SearchListener {
  public:
    RaceWatch(Execution& execution, RaceWatchOptions options, SearchListener* next = nullptr)
        : execution_(execution), options_(std::move(options)), next_(next) {}

    /// Before look_first(): what was learnt of the program in another search.
    void know(const std::vector<Location>& visible);
    [[nodiscard]] std::vector<Location> visible() const { return {visible_.begin(), visible_.end()}; }

    /// Before the search: watches one schedule without preemptions, and then some made by chance, until they
    /// show nothing new or have taken long. Returns what has to be visible from the start, and has made it
    /// so.
    [[nodiscard]] std::vector<Location> look_first();

    /// Instead of look_first(): goes on from where another one was.
    void go_on_from(const WatchState& state);
    [[nodiscard]] WatchState state() const;

    void path(const PathReport& report) override;
    void start_over() override;

    /// Every race once, confirmed ones and broken disciplines (Finding::confirmed is false).
    [[nodiscard]] std::vector<Finding> races() const;
    /// How many of them are confirmed.
    [[nodiscard]] std::size_t confirmed() const;
    /// Of the paths since the search began for the last time.
    [[nodiscard]] std::size_t paths() const { return paths_; }
    [[nodiscard]] std::size_t watched() const { return watched_; }
    [[nodiscard]] bool is_on() const { return options_.races != RaceSampling::Off; }
    /// Why sampling was given up: the program cannot be watched. Empty if it was not.
    [[nodiscard]] const std::string& trouble() const { return trouble_; }
    /// Whether everything that was learnt has been made visible.
    [[nodiscard]] bool makes_visible() const { return options_.points != Points::Sync; }

  private:
    [[nodiscard]] bool is_wanted(const PathReport& report);
    /// A preemption is at a place where no watched schedule has switched.
    [[nodiscard]] bool switches_anew(const std::vector<StepRecord>& steps) const;
    /// What was asked for is done or fails; where watching is no more than a help it is done without.
    void give_up(const Error& error);
    void watch(const Schedule& schedule);
    void look_until_nothing_is_new();
    /// Without preemptions, or with switches by chance. False if it was interrupted.
    bool run_first(RandomStream* random);
    void make_step(Choice choice, RaceDetector& detector, Schedule& made);
    void begin_run();
    /// The run was watched as it should be: what it has shown counts.
    void believe(const Schedule& made);
    void keep(const Race& race, const Schedule& made);
    [[nodiscard]] std::vector<Location> take_learnt();

    Execution& execution_;
    RaceWatchOptions options_;
    SearchListener* next_;
    std::set<Location> visible_;
    std::set<Location> learnt_;
    struct KnownRace {
        Finding finding;
        /// How often the search had begun when it was seen. What was visible then may not be the same now.
        unsigned beginning = 0;
    };
    std::map<std::pair<std::uint64_t, std::uint64_t>, KnownRace> races_;
    unsigned beginnings_ = 0;
    /// Of the run that is being watched, and after how many steps each of its races was seen.
    RaceDetector::Seen seen_;
    std::vector<std::size_t> steps_of_races_;
    std::map<unsigned, unsigned> watched_with_;                  // by number of preemptions
    std::map<std::uint64_t, std::set<std::uint64_t>> switches_;  // WatchState::switches
    std::size_t paths_ = 0;
    std::size_t watched_ = 0;
    std::string trouble_;
    /// Of the search and of watching, in stops of the program.
    std::size_t search_cost_ = 0;
    std::size_t watch_cost_ = 0;
};

}  // namespace coopcheck
