#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "explorer/assumptions.hpp"
#include "explorer/block_rules.hpp"
#include "explorer/block_runner.hpp"
#include "explorer/node.hpp"
#include "explorer/saved_branches.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/search_sharer.hpp"
#include "explorer/search_state.hpp"
#include "explorer/wanted.hpp"

namespace coopcheck {

/// What outlives one start of the search.
struct SearchMemory {
    explicit SearchMemory(const BudgetLimits& limits) : budget(limits) {}

    Assumptions assumptions;
    FindingSet findings;
    FindingSet predicted;
    FindingSet races;
    Budget budget;
    /// May be null.
    SearchListener* listener = nullptr;
    SearchKeeper* keeper = nullptr;
    SearchSharer* sharer = nullptr;
};

/// The search of figures 3, 5 and 6 with the deadlock detection of section 6: depth first over a stack of
/// branches, with or without a bound on preemptions. One object is one start of the search; when it
/// comes back because an assumption was contradicted, a new one has to be made (explore.hpp does).
class ExitBlockSearch : private BlockObserver {
  public:
    ExitBlockSearch(Execution& execution, const SearchOptions& options, SearchMemory& memory);

    /// Instead of from the start, before run(): goes on where a search was stopped. What was found and is
    /// assumed is in the SearchMemory already.
    void resume(const SearchState& state);
    /// Runs until the tree is exhausted, an assumption is contradicted, or a limit is reached.
    void run();
    /// What is left to do, with what was found so far.
    [[nodiscard]] SearchState state() const;

    [[nodiscard]] const SearchCounts& counts() const { return counts_; }
    [[nodiscard]] const std::vector<std::size_t>& paths_at_bound() const { return paths_at_bound_; }
    /// True unless the search was ended early.
    [[nodiscard]] bool exhausted() const { return !stopped_; }
    /// It was ended by the number of its findings.
    [[nodiscard]] bool has_enough() const { return has_enough_; }
    [[nodiscard]] bool bound_left_nothing() const { return deferred_.empty(); }
    [[nodiscard]] std::optional<unsigned> finished_bound() const { return finished_bound_; }
    /// Threads that spun had to let others go first.
    [[nodiscard]] bool used_fairness() const { return used_fairness_; }
    [[nodiscard]] const std::optional<Finding>& wanted() const { return found_; }

  private:
    void race(ThreadId thread, const Access& access, const std::vector<StepRecord>& block) override;
    void atomic_access(const Access& access) override { assumptions_.see_racy(access.location); }

    [[nodiscard]] Node root();
    void explore_stack();
    /// If there is enough for two.
    void give_part();
    /// Brings the program to the branch's node.
    void go_to(Branch& branch);
    [[nodiscard]] bool is_beyond_bound(const Branch& branch) const;
    void descend(Branch branch);
    /// Nothing if everybody that is enabled has to let others go first.
    [[nodiscard]] std::optional<ThreadId> choose(const Node& node);
    [[nodiscard]] bool is_held_back(const Node& node, ThreadId thread) const;
    void finish_unfair_path(const Node& node, bool progressed);
    void finish_spinning_path(const Node& node);
    [[nodiscard]] bool preempts(const Node& node, ThreadId thread) const;
    void push_branches(const Node& node, ThreadId current, const BlockResult& block, const Branch& branch,
                       const std::shared_ptr<Footprint>& delay);
    void give_up_block(Node& node, ThreadId current, BlockResult& block, bool repeated);
    [[nodiscard]] Node advance(Node&& node, ThreadId current, BlockResult&& block, bool preempted,
                               const std::shared_ptr<Footprint>& delay);
    /// Adds the block to what the current thread has touched since it was switched in (`run`).
    void extend_run(Node& node, const std::shared_ptr<Footprint>& run, const BlockResult& block) const;
    void wake_up(Node& next, const BlockResult& block) const;
    void add_started_threads(Node& next) const;
    void set_apart_disabled(Node& next) const;
    [[nodiscard]] std::shared_ptr<Footprint> delay_footprint(const Node& node, ThreadId current,
                                                             const BlockResult& block);

    /// Nobody is enabled. `progressed`: since the branch was taken up some block was run to its end.
    void finish_path(const Node& node, bool progressed);
    void finish_run(const Node& node, const BlockResult& block);
    void look_for_wanted(const Node& node);
    /// Unless leaving threads that were held back counts as preemptions and makes them too many.
    void found(Finding finding, unsigned forced_switches);
    void look_for_cycle(const Node& node, ThreadId thread);
    void analyse_failed_acquire(const Node& node, ThreadId thread, const BlockResult& block);
    [[nodiscard]] bool fire_timeouts(const Node& node);
    void settle(const Node& node);
    void report_stuck(const Node& node);
    void count_path(PathEnd end, const std::vector<StepRecord>& steps, const RunEnd* run_end = nullptr);
    [[nodiscard]] bool is_bounded() const { return options_.bound.has_value(); }
    /// Asked while there is work left: whether to leave it.
    [[nodiscard]] bool done();

    Execution& execution_;
    const SearchOptions& options_;
    Assumptions& assumptions_;
    FindingSet& findings_;
    FindingSet& predicted_;
    FindingSet& races_;
    SearchListener* listener_;
    SearchKeeper* keeper_;
    SearchSharer* sharer_;
    Budget& budget_;
    ModelOptions model_options_;
    BlockRules rules_;
    BlockRunner runner_;

    PlacePtr start_;
    SavedBranches saved_;
    std::vector<Branch> stack_;
    std::vector<Branch> deferred_;
    unsigned bound_ = 0;
    std::optional<unsigned> finished_bound_;
    bool resumed_ = false;
    bool stopped_ = false;
    bool has_enough_ = false;
    bool used_fairness_ = false;
    std::optional<Wanted> wanted_;
    std::optional<Finding> found_;
    SearchCounts counts_;
    std::vector<std::size_t> paths_at_bound_;
    // Of the node whose block is being run, and whether that is a preemption: for what is seen inside the
    // block.
    TrailPtr trail_;
    bool block_preempts_ = false;
};

}  // namespace coopcheck
