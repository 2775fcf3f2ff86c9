// Partial-order reduction under a bound on preemptions: which of ExitBlockSearch's branches are needed.
#include <algorithm>
#include <utility>

#include "explorer/exit_block.hpp"
#include "explorer/faults.hpp"

namespace coopcheck {

std::shared_ptr<Alternative> ExitBlockSearch::alternative_at(const Node& others) const {
    if (!is_reduced()) {
        return nullptr;
    }
    auto alternative = std::make_shared<Alternative>();
    // Fairness is no property of equivalent schedules: where threads spin, everybody who may go first does.
    alternative->asked_for = !others.fairness.is_idle();
    return alternative;
}

bool ExitBlockSearch::is_asked_for(Branch& branch) const {
    const std::shared_ptr<Alternative> alternative = std::exchange(branch.only_if_asked_for, nullptr);
    if (!alternative || alternative->asked_for) {
        return true;
    }
    alternative->waiting = std::move(branch);
    return false;
}

void ExitBlockSearch::ask_for(Alternative* alternative) {
    if (alternative == nullptr || alternative->asked_for) {
        return;
    }
    alternative->asked_for = true;
    if (alternative->waiting && !fault(Fault::ForgetWaitingBranches)) {
        stack_.push_back(*std::exchange(alternative->waiting, std::nullopt));
    }
}

std::size_t ExitBlockSearch::analysed_of(const Branch& branch) const {
    // Its way was part of a path that came to an end, unless the search was stopped on the way.
    std::size_t events = 0;
    if (is_reduced() && !branch.progressed) {
        for (const Trail* link = branch.node.trail.get(); link != nullptr; link = link->parent.get()) {
            events += link->made.events.size();
        }
    }
    return events;
}

void ExitBlockSearch::ask_for_reversals(const TrailPtr& trail) {
    std::vector<PendingOperation> pending;
    note_pending(execution_, ThreadId{}, pending);
    ask_for_reversals(trail, pending);
}

void ExitBlockSearch::ask_for_reversals(const TrailPtr& trail, const std::vector<PendingOperation>& pending) {
    if (!is_reduced()) {
        return;
    }
    std::vector<const Trail*> links;
    for (const Trail* link = trail.get(); link != nullptr; link = link->parent.get()) {
        links.push_back(link);
    }
    std::reverse(links.begin(), links.end());
    std::vector<const Event*> events;
    // Of each event: its block, and the block with which its thread was switched to.
    std::vector<std::pair<const Trail*, const Trail*>> blocks;
    const Trail* start = nullptr;
    for (const Trail* link : links) {
        start = link->made.starts_run || start == nullptr ? link : start;
        for (const Event& event : link->made.events) {
            events.push_back(&event);
            blocks.emplace_back(link, start);
        }
    }
    for (const Reversal& reversal : reversals_.of(events, analysed_, pending, execution_.model())) {
        const auto [block, run] = blocks[reversal.at];
        if (!fault(Fault::AskAtRunStartOnly)) {
            ask_for(block->made.alternative.get());
        }
        // Leaving the thread in the middle of its run costs a preemption; going before all of it does not.
        if (!fault(Fault::ForgetRunStart)) {
            ask_for(run->made.alternative.get());
        }
    }
}

}  // namespace coopcheck
