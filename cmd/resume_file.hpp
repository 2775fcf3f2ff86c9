#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "cmd/explore_options.hpp"
#include "explorer/race_watch.hpp"
#include "explorer/search_file.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// The file in which an unfinished search waits for the same command to go on with it. It is there exactly
/// as long as there is something left to do.
class ResumeFile : public SearchKeeper {
  public:
    /// `execution` makes the search.
    ResumeFile(const ExploreOptions& options, const tracer::LaunchOptions& launch,
               tracer::TracedExecution& execution);

    /// The search so far; the execution then knows what its own did. Nothing if there is no such file.
    /// Throws Error if it is damaged, or belongs to a search of another kind.
    [[nodiscard]] std::optional<SearchState> load();

    /// What the watch had seen when load() found a search.
    [[nodiscard]] const WatchState& watch_state() const { return watch_state_; }
    /// Whose state is to be kept with that of the search.
    void keep_also(const RaceWatch& watch) { watch_ = &watch; }

    [[nodiscard]] bool is_due() override;
    void keep(const SearchState& state) override;
    void remove() const;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    using Clock = std::chrono::steady_clock;

    std::string path_;
    /// What must be the same to go on.
    std::map<std::string, std::string> about_;
    tracer::TracedExecution& execution_;
    Clock::time_point due_;
    WatchState watch_state_;
    const RaceWatch* watch_ = nullptr;
};

/// Our standard input, if the search that waits in the file has read its own: reads the file just for that.
/// Throws Error if ours is another.
[[nodiscard]] std::optional<std::string> input_to_resume(const std::string& path);

}  // namespace coopcheck::cmd
