#include "explorer/search_result.hpp"

#include <utility>

namespace coopcheck {

bool FindingSet::add(Finding finding) {
    finding.visible = visible_;
    const auto [position, is_new] = findings_.try_emplace(finding.key(), finding);
    if (!is_new && finding.preemptions < position->second.preemptions) {
        position->second = std::move(finding);
    }
    return is_new;
}

std::vector<Finding> FindingSet::all() const {
    std::vector<Finding> all;
    for (const auto& [key, finding] : findings_) {
        all.push_back(finding);
    }
    return all;
}

namespace {

std::string preemptions(unsigned count) {
    return std::to_string(count) + (count == 1 ? " preemption" : " preemptions");
}

}  // namespace

std::string SearchResult::claim() const {
    const std::string run = std::to_string(counts.complete + counts.deadlocked + counts.livelocked) +
                            " run, " + std::to_string(counts.redundant) + " pruned";
    if (!exhausted || !gaps.empty()) {
        std::string text = "incomplete (" + run + ")";
        for (std::size_t i = 0; i < gaps.size(); ++i) {
            text += (i == 0 ? ": " : "; ") + gaps[i];
        }
        // With a single gap, that the search was stopped, what was finished before is finished.
        if (!exhausted && gaps.size() == 1 && finished_bound) {
            text += "; all schedules with at most " + preemptions(*finished_bound) + " were explored";
        }
        return text + ".";
    }
    if (finished_bound && !bound_left_nothing) {
        return "complete: all schedules with at most " + preemptions(*finished_bound) + " (" + run + "). " +
               (findings.empty() ? "A bug in this program" : "Another bug in this program than those found") +
               " on this input needs " + std::to_string(*finished_bound + 1) + " or more." +
               (reduction == Reduction::Blocks
                    ? ""
                    : " Schedules that differ only in the order of independent operations count as one.");
    }
    if (reduction != Reduction::Blocks) {
        return "complete: all schedules, one of each class of those that differ only in the order of "
               "independent operations (" +
               run + ").";
    }
    return "complete: all schedules (" + run + ").";
}

}  // namespace coopcheck
