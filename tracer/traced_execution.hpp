#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/execution.hpp"
#include "tracer/checkpoints.hpp"
#include "tracer/launch.hpp"
#include "tracer/run.hpp"
#include "tracer/session.hpp"

namespace coopcheck::tracer {

/// How accesses to visible memory are noticed.
enum class RacyPoints : std::uint8_t {
    /// Its pages are closed: nothing escapes, everything else in these pages is slow.
    ClosedPages,
    /// By breakpoints on the instructions that were seen to access it while they were watched. For a search
    /// that watches: Execution::missed_operations().
    Breakpoints,
};

struct TracedOptions {
    ModelOptions model = {};
    CheckpointPolicy checkpoints = CheckpointPolicy::Auto;
    Checkpoints::Limits limits = {};
    /// A thread that runs longer than this without an operation is looked at: it may wait in a loop.
    std::chrono::milliseconds silence_limit = std::chrono::seconds(1);
    /// Where accesses are watched: also those to pages that only one thread touches.
    bool watch_unshared = false;
    RacyPoints racy_points = RacyPoints::ClosedPages;
};

/// A real program under ptrace.
class TracedExecution : public Execution {
  public:
    /// Throws Error when this is no program for us. Nothing is started before restart().
    TracedExecution(const LaunchOptions& launch, const TracedOptions& options);

    void restart() override;
    [[nodiscard]] std::span<const ParkedThread> parked() const override;
    [[nodiscard]] const SyncModel& model() const override;
    StepResult step(ThreadId thread, Variant variant) override;
    [[nodiscard]] PlacePtr here() override;
    void revisit(const PlacePtr& place) override;
    void set_visible(std::span<const Location> locations) override;
    void set_watching(Watching watching) override { watching_ = watching; }
    [[nodiscard]] bool can_watch() const override { return true; }
    [[nodiscard]] bool watched_too_late() const override { return run_ && run_->watched_too_late(); }
    [[nodiscard]] bool missed_operations() const override { return session_.watch.missed_point; }
    [[nodiscard]] std::size_t watch_cost() const override { return session_.watch.cost; }
    [[nodiscard]] std::vector<Location> awaited() const override;
    [[nodiscard]] const Names& names() const override { return session_.names; }
    [[nodiscard]] Knowledge knowledge() const override;
    void know(const Knowledge& knowledge) override;
    [[nodiscard]] std::optional<std::uint64_t> fingerprint() override;
    [[nodiscard]] std::vector<std::string> blind_spots() override;

    /// What the program wrote so far in this run.
    [[nodiscard]] const std::string& standard_output() const;
    [[nodiscard]] const std::string& standard_error() const;
    /// "function file:line" for Operation::site, as much of it as is known. Slow: not for every step.
    [[nodiscard]] std::string describe_site(std::uint64_t site);
    /// In a library of which there is no debug information.
    [[nodiscard]] bool is_in_unknown_library(std::uint64_t site);
    /// The C library is part of the program: what of the heap lies beside main's thread-local variables is
    /// not watched.
    [[nodiscard]] bool is_static();
    /// A name for memory that is the same in every run (locations.hpp).
    [[nodiscard]] std::string describe_location(Location location);
    /// The memory with this name; nothing if this program has none.
    [[nodiscard]] std::optional<Location> find_location(const std::string& name);

    /// For reports: see Run.
    [[nodiscard]] std::vector<TracePlace> stack(ThreadId thread) const;
    [[nodiscard]] std::string label(ObjectId object) const;
    [[nodiscard]] std::vector<TracePlace> calls_at(std::uint64_t frame) const;
    [[nodiscard]] std::string memory_label(Location location, ThreadId thread) const;
    [[nodiscard]] std::string instruction(ThreadId thread) const;
    [[nodiscard]] std::string instruction_at(std::uint64_t address) const;
    [[nodiscard]] std::optional<std::uint64_t> value(Location location, std::uint32_t size) const;
    [[nodiscard]] std::optional<TraceAllocation> allocation(Location location) const;

    /// All of the standard input; nothing if no run has read any of it.
    [[nodiscard]] const std::optional<std::string>& input_read() const { return session_.input_read(); }
    /// The object belongs to the C or C++ runtime library.
    [[nodiscard]] bool is_runtime_object(ObjectId object) const { return session_.is_internal(object); }
    /// The run has made or changed files, pipes, sockets or shared memory: what is in those is no part of a
    /// copy of the process, and other processes may find it.
    [[nodiscard]] bool reaches_outside() const { return run_ && run_->state().cannot_be_copied; }
    /// Where this process was allowed to run before it was kept on one CPU.
    [[nodiscard]] const cpu_set_t& cpus() const { return session_.pin.before(); }
    /// The absolute path of the program.
    [[nodiscard]] const std::string& program_path() const { return session_.launcher.program().path(); }

    /// Makes the threads of the program real, stops them and traces them no longer. Begin again with
    /// restart(). Throws Error if the run has ended.
    [[nodiscard]] ReleasedProgram release();

    /// For those who measure.
    struct Counts {
        std::size_t launches = 0;
        std::size_t checkpoints = 0;
        std::size_t steps = 0;
        std::size_t replayed_steps = 0;
    };
    [[nodiscard]] Counts counts() const;

  private:
    StepResult step_to(ThreadId thread, Variant variant, std::shared_ptr<const TracedPlace> known);
    void launch();
    /// What was known of the program is void; the next restart() begins anew.
    void forget();
    /// Lets a copy of the place's checkpoint go on. False if there is no checkpoint, or none any more because
    /// the kernel has no room for a copy.
    [[nodiscard]] bool resume(const std::shared_ptr<const TracedPlace>& place);

    /// Of the tree of schedules that is watched, or of the one that is not: their places are not the same.
    [[nodiscard]] std::shared_ptr<const TracedPlace>& root() {
        return roots_.at(static_cast<std::size_t>(watching_));
    }

    Session session_;
    Checkpoints checkpoints_;
    std::array<std::shared_ptr<const TracedPlace>, 3> roots_;
    Watching watching_ = Watching::Off;
    /// What runs of the two trees watch: fixed as long as their places are used.
    std::array<std::shared_ptr<const WatchPlan>, 3> plans_;
    std::shared_ptr<const TracedPlace> place_;
    /// The nearest place on the way here that has, or had, a checkpoint: its depth.
    std::size_t checkpoint_depth_ = 0;
    std::unique_ptr<Run> run_;
    Counts counts_;
};

}  // namespace coopcheck::tracer
