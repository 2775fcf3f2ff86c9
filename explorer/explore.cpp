#include "explorer/explore.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "explorer/class_search.hpp"
#include "explorer/fairness.hpp"
#include "explorer/search_gaps.hpp"
#include "explorer/shared_search.hpp"

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

/// The result, and if the search gave up going through schedules on record, what it left.
struct Explored {
    SearchResult result;
    std::optional<SearchState> gave_up;
    std::size_t schedules = 0;
    std::size_t steps = 0;
};

template <typename Search>
bool gave_up(const Search& search) {
    if constexpr (std::is_same_v<Search, ClassSearch>) {
        return search.gave_up();
    } else {
        return false;
    }
}

/// From the start, with what was found and learnt.
SearchState state_to_begin_again(SearchMemory& memory) {
    memory.assumptions.start_over();
    SearchState state = state_at_start(memory.assumptions);
    state.findings = memory.findings.all();
    state.races = memory.races.all();
    return state;
}

template <typename Search>
Explored explore_by(Execution& execution, const SearchOptions& options, SearchListener* listener,
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
    if (from != nullptr && from->is_on_record && from->assumptions.racy() != assumptions.racy()) {
        // The program's operations are others now than those on record.
        from = nullptr;
        assumptions.start_over();
        if (listener != nullptr) {
            listener->start_over();
        }
    }
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
        if (gave_up(search)) {
            if (listener != nullptr) {
                listener->start_over();
            }
            return {.gave_up = state_to_begin_again(memory),
                    .schedules = memory.budget.schedules(),
                    .steps = memory.budget.steps()};
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
        return {.result = std::move(result)};
    }
}

/// Within a bound: on record, or by blocks if that does not go.
SearchResult explore_bound(Execution& execution, const SearchOptions& options, SearchListener* listener,
                           const Continuation& continuation) {
    SearchOptions blocks = by_blocks(options);
    if (continuation.from && !continuation.from->is_on_record) {
        return explore_by<ExitBlockSearch>(execution, blocks, listener, continuation).result;
    }
    Explored on_record = explore_by<ClassSearch>(execution, options, listener, continuation);
    if (!on_record.gave_up) {
        on_record.result.reduction = options.reduction;
        return std::move(on_record.result);
    }
    if (options.only_on_record) {
        if (continuation.keeper != nullptr) {
            continuation.keeper->keep(*on_record.gave_up);
        }
        const SearchState& left = *on_record.gave_up;
        on_record.result.findings = left.findings;
        on_record.result.races = left.races;
        on_record.result.visible.assign(left.assumptions.racy().begin(), left.assumptions.racy().end());
        on_record.result.gaps.emplace_back("the schedules cannot be gone through on record");
        return std::move(on_record.result);
    }
    blocks.budget.schedules = remaining(options.budget.schedules, on_record.schedules);
    blocks.budget.steps = remaining(options.budget.steps, on_record.steps);
    return explore_by<ExitBlockSearch>(execution, blocks, listener,
                                       {.from = std::move(on_record.gave_up), .keeper = continuation.keeper})
        .result;
}

}  // namespace

SearchResult explore(Execution& execution, const SearchOptions& options, SearchListener* listener,
                     const Continuation& continuation) {
    if (options.reduction == Reduction::Blocks) {
        return explore_by<ExitBlockSearch>(execution, options, listener, continuation).result;
    }
    if (options.bound) {
        return explore_bound(execution, options, listener, continuation);
    }
    SearchResult result = explore_by<ClassSearch>(execution, options, listener, continuation).result;
    result.reduction = options.reduction;
    return result;
}

}  // namespace coopcheck
