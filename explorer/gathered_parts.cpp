#include "explorer/gathered_parts.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "explorer/fairness.hpp"
#include "explorer/search_gaps.hpp"
#include "explorer/shared_search.hpp"

namespace coopcheck {

namespace {

void add_all(FindingSet& set, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        set.set_visible(finding.visible);
        set.add(finding);
    }
}

void add(SearchCounts& sum, const SearchCounts& more) {
    sum.complete += more.complete;
    sum.deadlocked += more.deadlocked;
    sum.livelocked += more.livelocked;
    sum.redundant += more.redundant;
    sum.truncated += more.truncated;
    sum.abandoned += more.abandoned;
    sum.predictions += more.predictions;
    sum.steps += more.steps;
}

}  // namespace

void GatheredParts::take_over(const SearchState& from) {
    counts = from.counts;
    assumptions = from.assumptions;
    used_fairness = from.used_fairness;
    add_all(findings, from.findings);
    add_all(predicted, from.predicted);
    add_all(races, from.races);
    visible.assign(assumptions.racy().begin(), assumptions.racy().end());
}

bool GatheredParts::take_in(const PartReport& report, Execution& execution, const SearchOptions& options) {
    if (report.end == PartEnd::Failed) throw Error(report.why);
    if (report.end == PartEnd::Broken) throw InternalError(report.why);
    execution.know(report.knowledge);
    add(counts, report.state.counts);
    paths += report.state.counts.paths();
    steps += report.state.counts.steps;
    used_fairness = used_fairness || report.state.used_fairness;
    blind_spots.insert(report.blind_spots.begin(), report.blind_spots.end());
    add_all(findings, report.state.findings);
    add_all(predicted, report.state.predicted);
    add_all(races, report.state.races);
    refined = refined || report.refined;
    return assumptions.join(report.state.assumptions, options.ignore_unshared_locks);
}

SearchState GatheredParts::state_for_new_start() const {
    Assumptions fresh = assumptions;
    fresh.start_over();
    SearchState state = state_at_start(std::move(fresh));
    if (!refined) {  // otherwise their schedules are void
        state.findings = findings.all();
        state.races = races.all();
    }
    return state;
}

SearchResult GatheredParts::result(const SearchOptions& options, const std::string& stop) const {
    SearchResult result;
    result.findings = findings.all();
    result.predicted = predicted.all();
    result.races = races.all();
    result.counts = counts;
    result.refinements = assumptions.refinements();
    result.exhausted = stop.empty();
    result.visible = visible;
    result.gaps = gaps_of(counts, options);
    result.gaps.insert(result.gaps.end(), blind_spots.begin(), blind_spots.end());
    if (used_fairness) result.conditions.emplace_back(fairness_condition);
    if (!result.exhausted) result.gaps.insert(result.gaps.begin(), stop);
    return result;
}

}  // namespace coopcheck
