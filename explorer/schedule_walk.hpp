#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/execution.hpp"
#include "explorer/number_table.hpp"
#include "explorer/recorded_runs.hpp"
#include "explorer/wakeup_tree.hpp"

namespace coopcheck {

/// Goes through all schedules with 0 preemptions, then with 1, ... on record: where a schedule does what runs
/// on record have done, in whichever order of independent steps, it is known how it goes on without running
/// it. What no run shows is to be run. So one schedule is run of each class that has one within the bound,
/// and no other.
///
/// Of beginnings that are equivalent and have the same thread running one is gone on with: what can follow,
/// and what it costs, is the same.
///
/// Call order: add() the first run, then next(); for each schedule it gives add() a run that begins with it,
/// with no more preemptions; when it gives none, begin_bound() for the next bound.
class ScheduleWalk {
  public:
    struct Limits {
        /// How many beginnings are looked at, and how many steps are kept.
        std::size_t beginnings = 0;
        std::size_t steps = 0;
    };

    ScheduleWalk(SyncModel start, Limits limits);

    /// A run with all that could be done after each of its beginnings, as numbers.
    void add(std::span<const RecordedRuns::Made> steps, std::span<const PendingOperation> pending,
             std::span<const std::uint64_t> offers);
    /// Of the run that was added last: a race of it the other way round, or another variant of a step. As
    /// long as not all of these are on record there are classes that are not, within the bound or beyond it;
    /// if they are, there is no other class.
    void expect(std::size_t at, const std::vector<Move>& sequence);
    /// None if the bound is finished.
    [[nodiscard]] std::optional<Schedule> next();
    /// The same again, while the run that it asks for has not been added.
    [[nodiscard]] std::optional<Schedule> asked_for() const;
    void begin_bound();
    /// There is no class that needs more preemptions.
    [[nodiscard]] bool is_nothing_left() const { return later_.empty() || knows_all_classes(); }
    /// It takes too long, or the program does not do what is expected of it: nothing more is said.
    [[nodiscard]] bool gave_up() const { return gave_up_; }
    void give_up() { gave_up_ = true; }
    [[nodiscard]] std::size_t beginnings() const { return beginnings_.size(); }
    /// The part of the present bound that is done, an estimate.
    [[nodiscard]] double explored() const;

    /// Those of the runs that were added (StepNumbers).
    [[nodiscard]] const std::unordered_set<std::uint64_t>& classes() const { return classes_; }
    /// Equal for equal choices in equal order, different otherwise but for accidents of 64 bits.
    [[nodiscard]] static std::uint64_t choices_number(const std::vector<Choice>& choices);

  private:
    struct Beginning {
        std::uint32_t before = 0;
        std::uint32_t depth = 0;
        std::uint32_t run = 0;  ///< one that contains it
        const RecordedStep* step = nullptr;
    };
    /// A beginning that is being gone on with.
    struct Place {
        std::uint32_t beginning = 0;
        SyncModel model;
        EventCounts made;
        std::uint64_t number = 0;
        std::vector<Choice> moves;
        std::size_t tried = 0;
    };

    /// A step that can follow after others.
    struct Expected {
        EventCounts made;
        std::uint64_t number = 0;
        Choice choice;
    };

    [[nodiscard]] bool knows_all_classes() const { return expected_.empty() && knows_expected_; }
    /// Makes the place of the beginning the last one; the one before it is the last one now.
    void enter(std::uint32_t beginning);
    /// Everything that can be done at the last place.
    void find_offers();
    /// All that costs nothing; what costs something is put off.
    void find_moves();
    [[nodiscard]] bool last_wants_to_go_on() const;
    /// To a beginning that was put off.
    void go_to(std::uint32_t beginning);
    void know(const Operation& operation, SyncModel& model) const;
    std::uint32_t add_beginning(std::uint32_t before, const RecordedRuns::Following& following);
    [[nodiscard]] Place& last() { return places_[depth_ - 1]; }
    [[nodiscard]] const Place& last() const { return places_[depth_ - 1]; }

    Limits limits_;
    RecordedRuns runs_;
    std::vector<Beginning> beginnings_;
    /// Beginnings, by what was done and whose turn it is.
    NumberTable<> seen_;
    /// The last place is places_[depth_ - 1]; those after it are only there to be used again.
    std::vector<Place> places_;
    std::size_t depth_ = 0;
    /// Where the beginning is that was put off and is gone on with.
    std::size_t begun_at_ = 0;
    /// To be gone on with for one preemption more: within the present bound, and the next one.
    std::vector<std::uint32_t> due_;
    std::size_t next_due_ = 0;
    std::vector<std::uint32_t> later_;
    /// A run has been asked for: by the last place's move, or the first one.
    bool waits_for_run_ = true;
    /// Objects as they were when somebody first came to them.
    std::unordered_map<ObjectId, ObjectState> first_states_;
    /// Of the beginnings of runs: what could be done there.
    NumberTable<std::uint64_t> offers_;
    std::unordered_set<std::uint64_t> classes_;
    /// What has not been seen yet; and whether that is all.
    std::vector<Expected> expected_;
    bool knows_expected_ = true;
    std::vector<Choice> offered_;
    std::vector<Variant> variants_;
    bool gave_up_ = false;
};

}  // namespace coopcheck
