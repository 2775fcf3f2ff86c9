#include "explorer/minimize.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "core/race.hpp"
#include "explorer/counterexample.hpp"
#include "explorer/explore.hpp"
#include "explorer/reduce.hpp"
#include "explorer/wanted.hpp"

namespace coopcheck {

namespace {

// A thread that spins makes a candidate endless. Schedules much longer than the one we have are of no use.
constexpr std::size_t most_times_longer = 10;
constexpr std::size_t always_allowed_steps = 1'000;
// For looking for a later way out than the one found: seconds on a traced process.
constexpr std::size_t thorough_steps = 200'000;

constexpr const char* reason_of_stop = "the search was stopped";

void check_kind(const Finding& finding) {
    if (!finding.confirmed) {
        throw Error(
            "This deadlock is only predicted: there is no schedule that shows it, and nothing to minimize.");
    }
    if (finding.kind == FindingKind::Race && (!finding.race || !finding.race->side_by_side)) {
        throw Error(
            "This race is not minimized: its schedule does not put the two accesses next to each other.");
    }
    if (finding.kind == FindingKind::Livelock) {
        throw Error("A livelock is not minimized: its schedule has no last step.");
    }
}

class Minimizer {
  public:
    Minimizer(Execution& execution, const Finding& finding, const MinimizeOptions& options)
        : execution_(execution),
          finding_(finding),
          options_(options),
          wanted_(finding, options.search.judge),
          most_steps_(most_times_longer * finding.schedule.size() + always_allowed_steps),
          reducer_(
              execution, wanted_, [this] { return stopped(); }, most_steps_) {
        result_.visible = options.visible;
        result_.proved_below = options.proved_below;
    }

    MinimizeResult run() {
        best_ = execute(finding_.schedule);
        improve();
        while (!stopped() && !refuted() && result_.proved_below < best_.finding.preemptions &&
               search_below()) {
            improve();
        }
        if (!stopped() && decision_) {
            decision_->thorough(thorough_steps);
        }
        if (refuted()) {
            result_.proved_below = 0;
            result_.gaps = {
                "a schedule with fewer preemptions than a search held to be possible shows it: code is "
                "trusted "
                "in which a switch matters, or a thread that spins is not scheduled fairly"};
        }
        result_.finding = best_.finding;
        result_.cost = best_.cost;
        result_.candidates = reducer_.tried();
        result_.stopped = stopped_;
        if (decision_) {
            result_.decision = decision_->result();
        }
        if (result_.proved()) {
            result_.gaps.clear();
        } else if (result_.gaps.empty()) {
            COOPCHECK_CHECK(stopped_, "a search below the best schedule ended without a reason");
            result_.gaps.emplace_back(reason_of_stop);
        }
        execution_.set_visible(result_.visible);
        return std::move(result_);
    }

  private:
    bool stopped() {
        stopped_ = stopped_ || (options_.should_stop && options_.should_stop());
        return stopped_;
    }

    Counterexample execute(const Schedule& schedule) {
        execution_.set_visible(result_.visible);
        Walk walk(execution_);
        walk.restart();
        for (const Choice choice : schedule) {
            if (!walk.is_legal(choice)) {
                throw Error("Step " + std::to_string(walk.steps().size() + 1) +
                            " of the schedule is not possible: the program is not the one it was recorded "
                            "with, or is run with other options.");
            }
            const StepResult step = walk.step(choice);
            if (std::optional<Finding> shown = wanted_.after(execution_, choice.thread, step)) {
                return counterexample_of(walk, std::move(*shown));
            }
            if (step.end) {
                break;
            }
        }
        throw Error("The schedule does not show the finding (" + std::string(describe(finding_.kind)) +
                    "): the program is not the one it was recorded with, or is run with other options.");
    }

    /// What is cheap to get: fewer switches, and where it was decided. Comes before a search, which may take
    /// all the time that is left.
    void improve() {
        reducer_.reduce(best_);
        if (finding_.kind == FindingKind::Race) {
            return;  // no good end speaks against a race
        }
        decision_.emplace(execution_, best_,
                          DecisionOptions{[this] { return stopped(); }, most_steps_, options_.search.judge});
        decision_->quick();
    }

    /// Searches rely on trusted code and on fairness, delta debugging does not.
    [[nodiscard]] bool refuted() const { return best_.finding.preemptions < result_.proved_below; }

    /// Everything with fewer preemptions than the best schedule has. True if a better one was found; the
    /// proof, as far as it came, is in the result.
    bool search_below() {
        SearchOptions search = options_.search;
        search.granularity = Granularity::Operations;
        search.bound = best_.finding.preemptions - 1;
        search.wanted = finding_;
        search.visible = result_.visible;
        search.find_deadlocks = true;
        if (finding_.kind == FindingKind::Race) {
            // An equivalent schedule has the same ends, but may not have both threads before their accesses.
            search.reduction = Reduction::Blocks;
            search.pruning = Pruning::None;
        }
        search.max_findings = std::numeric_limits<std::size_t>::max();
        // The limits are those of the search that found it; here there is one of time.
        search.budget = {};
        search.budget.interruption = [this]() -> std::optional<std::string> {
            return stopped() ? std::optional<std::string>{reason_of_stop} : std::nullopt;
        };
        SearchResult found = explore(execution_, search);
        result_.paths += found.counts.paths();
        const bool covered_all = found.exhausted && found.gaps.empty();
        if (covered_all) {
            result_.proved_below = best_.finding.preemptions;
        } else if (found.proved_bound) {
            result_.proved_below = std::max(result_.proved_below, *found.proved_bound + 1);
        }
        result_.gaps = std::move(found.gaps);
        result_.conditions = std::move(found.conditions);
        if (!found.wanted) {
            if (!stopped()) {
                // The search may have made other accesses visible: the places are not what they were.
                best_ = execute(best_.finding.schedule);
            }
            return false;
        }
        result_.gaps.clear();  // the next search will tell
        const ScheduleCost before = best_.cost;
        result_.visible = std::move(found.visible);
        reducer_.forget_tried();
        best_ = execute(found.wanted->schedule);
        COOPCHECK_CHECK(best_.cost < before, "the search below the best schedule found no better one");
        return true;
    }

    Execution& execution_;
    const Finding& finding_;
    const MinimizeOptions& options_;
    Wanted wanted_;
    std::size_t most_steps_;
    Reducer reducer_;
    Counterexample best_;
    std::optional<DecisionFinder> decision_;
    MinimizeResult result_;
    bool stopped_ = false;
};

}  // namespace

MinimizeResult minimize(Execution& execution, const Finding& finding, const MinimizeOptions& options) {
    check_kind(finding);
    return Minimizer(execution, finding, options).run();
}

}  // namespace coopcheck
