#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/class_node.hpp"
#include "explorer/event.hpp"
#include "explorer/exit_block.hpp"
#include "explorer/fairness.hpp"
#include "explorer/monitors.hpp"
#include "explorer/reversal.hpp"
#include "explorer/schedule_walk.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/wakeup_tree.hpp"
#include "explorer/wanted.hpp"

namespace coopcheck {

/// Dynamic partial-order reduction at the granularity of operations: of the schedules that differ only in
/// the order of independent operations one is run. Depth first; a path is run to its end, its races are
/// reversed (explorer/reversal.hpp), which leaves sequences to be run at places before; the deepest of them
/// is next. What was explored from a place sleeps in the branches after it until something
/// depends on it. With Reduction::Source a reversal leaves only its first move (source sets); with
/// Reduction::Optimal all of it (wakeup trees), and no path ends with everybody asleep.
///
/// One object is one start of the search, as for ExitBlockSearch.
class ClassSearch {
  public:
    ClassSearch(Execution& execution, const SearchOptions& options, SearchMemory& memory);

    /// Instead of from the start, before run(): goes on where a search was stopped, or with a part of one.
    /// What was found and is assumed is in the SearchMemory already.
    void resume(const SearchState& state);
    void run();
    /// What is left to do, with what was found so far.
    [[nodiscard]] SearchState state() const;

    [[nodiscard]] const SearchCounts& counts() const { return counts_; }
    [[nodiscard]] std::vector<std::size_t> paths_at_bound() const {
        return options_.bound ? paths_at_bound_ : std::vector<std::size_t>{counts_.paths()};
    }
    [[nodiscard]] bool exhausted() const { return !stopped_; }
    [[nodiscard]] bool has_enough() const { return has_enough_; }
    [[nodiscard]] bool bound_left_nothing() const { return record_ && record_->is_nothing_left(); }
    /// Within a bound: what is on record does not tell what the program does, or it is too much. The search
    /// is not finished, and nothing follows from it but what was found.
    [[nodiscard]] bool gave_up() const { return record_ && record_->gave_up() && !stopped_; }
    [[nodiscard]] std::optional<unsigned> finished_bound() const { return finished_bound_; }
    [[nodiscard]] bool used_fairness() const { return used_fairness_; }
    [[nodiscard]] const std::optional<Finding>& wanted() const { return found_; }

  private:
    using Node = ClassNode;
    /// What can be done at a place.
    struct Offers {
        std::vector<Choice> moves;  ///< of threads that are enabled and may go on
        bool anybody_enabled = false;
        bool anybody_at_limit = false;
        bool somebody_held_back = false;
    };

    void begin();
    /// Until nothing is left to run from the places on the path.
    void explore_from_here();
    [[nodiscard]] bool done();
    /// Runs on from the last node until the path ends. False if there is nothing (left) to run from it.
    bool extend();
    [[nodiscard]] std::optional<WakeupTree::Branch> next_branch();
    [[nodiscard]] std::optional<Choice> choose_freely(const Offers& offers) const;
    [[nodiscard]] Offers offers();
    [[nodiscard]] bool is_held_back(const Node& node, ThreadId thread);
    [[nodiscard]] bool is_possible(Choice choice);
    [[nodiscard]] bool fire_timeouts();
    void finish_stuck(const Offers& offers);
    /// False if the path has come to its end.
    bool step(WakeupTree::Branch branch);
    [[nodiscard]] bool is_parked_where_it_was(ThreadId thread) const;
    void offer_variants(ThreadId thread, const Operation& operation, Variant taken);
    void watch(const StepResult& step);
    void start_watching();
    void judge_accesses(const StepResult& step, ThreadId thread, Monitors& monitors);
    void look_for_cycles(ThreadId thread, const StepResult& step);
    void finish(PathEnd end, const RunEnd* run_end = nullptr);
    /// PathReport::explored, at the end of a path.
    [[nodiscard]] double explored() const;
    void reverse_races();
    /// With footprints of data: if the event ends one.
    void look_for_plain_section(Event& event);
    void forget_plain_section(const Event& event);
    [[nodiscard]] Event* last_event_of(ThreadId thread);
    /// Has the sequence run from the place with this number, unless what is or will be explored covers it.
    void insert(std::size_t at, const std::vector<Move>& sequence);
    bool back_up();

    /// Something that the path shows.
    void note(Finding finding);
    void count_step(ThreadId thread);

    // class_record.cpp: within a bound
    void run_on_record();
    void run_along(const Schedule& beginning);
    /// False if the run that was made last ends before the beginning does.
    [[nodiscard]] bool go_back_along(const Schedule& beginning);
    [[nodiscard]] Choice choose_on_record(const std::vector<Choice>& moves) const;
    /// False if the path has come to its end.
    bool step_on_record(Choice choice);
    void put_on_record();
    /// Classes in which a step of the path has another variant are expected to be on record.
    void expect_variants();
    /// The paths of the present bound, when it is over.
    void count_bound();
    [[nodiscard]] std::size_t paths_made() const { return counts_.paths() - made_before_; }
    void resume_record(const SearchState& state);
    void save_record(SearchState& state) const;

    // class_parts.cpp: parts of a search
    void step_again(const ClassPlace& from);
    [[nodiscard]] ClassPlace saved(const Node& node) const;
    /// If somebody wants it: the places up to the first that has something left to do. This search keeps what
    /// comes after the step that it made there.
    void give_parts();
    void tell(ClassNews news);
    void tell_reversal(std::size_t at, const std::vector<Move>& sequence);
    /// What was to be run from the last place, which belongs to others, is not possible there.
    void tell_impossible();

    [[nodiscard]] Label label(ThreadId thread, const Operation& operation, Variant variant) const;
    [[nodiscard]] Move move_to(Choice choice) const;
    [[nodiscard]] std::vector<StepRecord> steps() const;
    [[nodiscard]] static Move move_of(const Event& event) {
        return {event.thread, event.variant, event.label};
    }
    [[nodiscard]] static bool sleeps(const Node& node, Choice choice);

    Execution& execution_;
    const SearchOptions& options_;
    Assumptions& assumptions_;
    FindingSet& findings_;
    FindingSet& races_;
    SearchListener* listener_;
    Budget& budget_;
    SearchKeeper* keeper_;
    SearchSharer* sharer_;
    LabelOptions labels_;
    Reversals reversals_;

    std::vector<ClassNodePtr> path_;
    /// The places before belong to others: what has to be run from there is told them.
    std::size_t own_from_ = 0;
    std::vector<ClassNews> news_;
    /// On the way to a place where another search has been.
    bool replays_ = false;
    bool is_nothing_left_ = false;
    std::vector<std::size_t> steps_of_thread_;
    /// Who else was parked where before the last step; at the end of a path that did not end the run: who is
    /// parked where.
    std::vector<PendingOperation> pending_;
    /// Races among the first of the path's events have been looked at.
    std::size_t analysed_ = 0;
    bool watching_ = false;
    bool stopped_ = false;
    bool has_enough_ = false;
    bool used_fairness_ = false;
    std::optional<Wanted> wanted_;
    std::optional<Finding> found_;
    SearchCounts counts_;
    std::vector<Variant> variants_;

    /// Schedules on record, and of each step of the path what it changed, and what could be done before it.
    std::shared_ptr<ScheduleWalk> record_;
    std::vector<SideEffects> effects_;
    std::vector<std::uint64_t> offers_on_path_;
    /// Other ways to make the step, and races of the path the other way round.
    std::vector<std::vector<Move>> variants_on_path_;
    Reversals all_reversals_;
    std::vector<Reversal> reversals_on_path_;
    /// Of a search that was saved: paths that are only run to be on record again.
    std::size_t made_before_ = 0;
    /// So many steps of the first one after these were made before, too.
    std::size_t begun_before_ = 0;
    bool is_in_recorded_run_ = false;
    unsigned bound_ = 0;
    std::optional<unsigned> finished_bound_;
    std::vector<std::size_t> paths_at_bound_;
};

}  // namespace coopcheck
