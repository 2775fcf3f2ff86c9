#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/finding.hpp"
#include "explorer/search_options.hpp"

namespace coopcheck {

/// The distinct bugs seen so far, each with its best schedule.
class FindingSet {
  public:
    /// True if the bug was not known yet. A known one is replaced if this schedule has fewer preemptions,
    /// or was executed where the other was only predicted.
    bool add(Finding finding);
    /// What is added from now on was seen with these locations visible.
    void set_visible(std::vector<Location> visible) { visible_ = std::move(visible); }
    [[nodiscard]] std::vector<Finding> all() const;
    [[nodiscard]] bool empty() const { return findings_.empty(); }
    [[nodiscard]] std::size_t size() const { return findings_.size(); }
    [[nodiscard]] bool contains(const Finding& finding) const { return findings_.contains(finding.key()); }

  private:
    std::map<std::string, Finding> findings_;
    std::vector<Location> visible_;
};

struct SearchCounts {
    std::size_t complete = 0;     ///< schedules run to the end of the program
    std::size_t deadlocked = 0;   ///< schedules that ended with everybody stuck
    std::size_t livelocked = 0;   ///< schedules that went round in a circle
    std::size_t redundant = 0;    ///< paths that ended because only delayed threads were left
    std::size_t truncated = 0;    ///< schedules cut by the limit on a thread's steps
    std::size_t abandoned = 0;    ///< attempts at a block that failed at a lock
    std::size_t predictions = 0;  ///< times that lock chain analysis saw a deadlock
    std::size_t steps = 0;

    /// Everything that was run to some end.
    [[nodiscard]] std::size_t paths() const {
        return complete + deadlocked + livelocked + redundant + truncated;
    }
};

/// What a finished search says.
struct SearchResult {
    std::vector<Finding> findings;
    /// Deadlocks that lock chain analysis predicts and that could not be driven to.
    std::vector<Finding> predicted;
    /// Unprotected accesses; explored as operations of their own since they were seen.
    std::vector<Finding> races;
    /// Of the last start of the search: earlier ones were given up because an assumption proved wrong.
    SearchCounts counts;
    /// Paths first explored at each bound.
    std::vector<std::size_t> paths_at_bound;
    unsigned refinements = 0;
    /// Under which conditions the claim holds, beyond those that always apply.
    std::vector<std::string> conditions;
    /// The finding that was looked for (SearchOptions::wanted).
    std::optional<Finding> wanted;
    /// The locations whose accesses were operations in the last start of the search, and are steps of
    /// `wanted`.
    std::vector<Location> visible;

    /// What the schedules were told apart by.
    Reduction reduction = Reduction::Blocks;
    /// Every schedule (within `bound`, if there is one) was explored or is equivalent to one that was.
    bool exhausted = false;
    /// The highest bound that was finished; nothing if the search was not bounded.
    std::optional<unsigned> finished_bound;
    /// The same, if every schedule within that bound was covered: true also of a search that was stopped
    /// later.
    std::optional<unsigned> proved_bound;
    /// No schedule needs more preemptions than were allowed: the bound left nothing out.
    bool bound_left_nothing = false;
    /// Why the search is not complete, in words for the user; empty if it is.
    std::vector<std::string> gaps;

    /// The claim in one sentence: what has been proved, computed from what was done.
    [[nodiscard]] std::string claim() const;
};

}  // namespace coopcheck
