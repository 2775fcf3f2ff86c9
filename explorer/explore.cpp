#include "explorer/explore.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "explorer/class_search.hpp"
#include "explorer/fairness.hpp"
#include "explorer/search_gaps.hpp"

namespace coopcheck {

namespace {

template <typename Search>
std::string reason_of_stop(const Search& search, const SearchMemory& memory, const SearchOptions& options) {
    if (search.wanted()) {
        return "stopped at the finding that was looked for";
    }
    if (!search.has_enough()) {
        return memory.budget.reason();
    }
    return reason_of_enough(options);
}

void remember(SearchMemory& memory, const SearchState& state) {
    memory.assumptions = state.assumptions;
    const auto add = [](FindingSet& set, const std::vector<Finding>& findings) {
        for (const Finding& finding : findings) {
            set.set_visible(finding.visible);
            set.add(finding);
        }
    };
    add(memory.findings, state.findings);
    add(memory.predicted, state.predicted);
    add(memory.races, state.races);
}

template <typename Search>
SearchResult explore_by(Execution& execution, const SearchOptions& options, SearchListener* listener,
                        const Continuation& continuation) {
    SearchMemory memory(options.budget);
    memory.listener = listener;
    memory.keeper = continuation.keeper;
    Assumptions& assumptions = memory.assumptions;
    const SearchState* from = continuation.from ? &*continuation.from : nullptr;
    if (from != nullptr) {
        remember(memory, *from);
    }
    assumptions.know_racy(options.visible);
    for (;;) {
        const std::vector<Location> visible(assumptions.racy().begin(), assumptions.racy().end());
        execution.set_visible(visible);
        for (FindingSet* set : {&memory.findings, &memory.predicted, &memory.races}) {
            set->set_visible(visible);
        }
        Search search(execution, options, memory);
        try {
            if (from != nullptr) {
                search.resume(*std::exchange(from, nullptr));
            }
            search.run();
        } catch (const Refined& refined) {
            assumptions.see_refinement();
            assumptions.know_racy(execution.awaited());
            if (const auto* learnt = dynamic_cast<const LocationsLearnt*>(&refined)) {
                assumptions.know_racy(learnt->locations);
            }
            // Their schedules are void with the places; the search that begins again finds them again.
            memory.findings = FindingSet{};
            memory.races = FindingSet{};
        }
        if (assumptions.contradicted() && search.exhausted()) {
            assumptions.start_over();
            if (listener != nullptr) {
                listener->start_over();
            }
            memory.predicted =
                FindingSet{};  // what is predicted again counts, the rest is settled by running it
            continue;
        }
        SearchResult result;
        result.findings = memory.findings.all();
        result.predicted = memory.predicted.all();
        result.races = memory.races.all();
        result.counts = search.counts();
        result.paths_at_bound = search.paths_at_bound();
        result.refinements = assumptions.refinements();
        result.exhausted = search.exhausted();
        result.finished_bound = search.finished_bound();
        result.bound_left_nothing = search.bound_left_nothing();
        result.wanted = search.wanted();
        result.visible = visible;
        result.gaps = gaps_of(search.counts(), options);
        for (std::string& blind_spot : execution.blind_spots()) {
            result.gaps.push_back(std::move(blind_spot));
        }
        if (search.used_fairness()) {
            result.conditions.emplace_back(fairness_condition);
        }
        if (result.gaps.empty() && !assumptions.contradicted()) {
            result.proved_bound = search.finished_bound();
        }
        if (!search.exhausted()) {
            if (continuation.keeper != nullptr && !assumptions.contradicted()) {
                continuation.keeper->keep(search.state());
            }
            result.gaps.insert(result.gaps.begin(), reason_of_stop(search, memory, options));
        }
        return result;
    }
}

}  // namespace

SearchResult explore(Execution& execution, const SearchOptions& options, SearchListener* listener,
                     const Continuation& continuation) {
    if (options.reduction == Reduction::Blocks) {
        return explore_by<ExitBlockSearch>(execution, options, listener, continuation);
    }
    SearchResult result = explore_by<ClassSearch>(execution, options, listener, continuation);
    result.reduction = options.reduction;
    return result;
}

}  // namespace coopcheck
