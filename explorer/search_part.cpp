#include "explorer/search_part.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "explorer/class_search.hpp"
#include "explorer/exit_block.hpp"
#include "explorer/search_file.hpp"

namespace coopcheck {

namespace {

constexpr const char* end_key = "end";
constexpr const char* why_key = "why";
constexpr const char* refined_key = "refined";
constexpr const char* blind_key = "blind spot ";

/// What is left for the next bound, in the order in which it was put aside.
SearchState rest_of(SearchState state) {
    SearchState rest;
    rest.blocks = std::move(state.blocks);
    rest.footprints = std::move(state.footprints);
    rest.stack.assign(state.deferred.rbegin(), state.deferred.rend());
    rest.bound = state.bound + 1;
    rest.assumptions = state.assumptions;
    return rest;
}

void drop_branches(SearchState& state) {
    state.path.clear();
    state.own_from = 0;
    state.analysed = 0;
    state.stack.clear();
    state.deferred.clear();
    state.blocks.clear();
    state.footprints.clear();
}

/// Reads names into the execution, and what follows in its numbers.
SavedSearch read_for(Execution& execution, const std::string& text) {
    SavedSearch saved = read_search(text, execution.names());
    execution.know(saved.knowledge);
    return saved;
}

template <typename Search>
void run(Execution& execution, const SearchOptions& options, const SearchState& part,
         SearchListener* listener, SearchSharer* sharer, PartReport& report) {
    SearchMemory memory(options.budget);
    memory.listener = listener;
    memory.sharer = sharer;
    memory.assumptions = part.assumptions;
    const std::vector<Location> visible(memory.assumptions.racy().begin(), memory.assumptions.racy().end());
    execution.set_visible(visible);
    for (FindingSet* set : {&memory.findings, &memory.predicted, &memory.races}) set->set_visible(visible);
    Search search(execution, options, memory);
    try {
        search.resume(part);
        search.run();
    } catch (const Refined& refined) {
        report.refined = true;
        memory.assumptions.see_refinement();
        memory.assumptions.know_racy(execution.awaited());
        if (const auto* learnt = dynamic_cast<const LocationsLearnt*>(&refined)) {
            memory.assumptions.know_racy(learnt->locations);
        }
        memory.findings = FindingSet{};
        memory.races = FindingSet{};
    }
    if (memory.assumptions.contradicted() && search.exhausted()) {
        report.end = PartEnd::StartOver;
    } else if (!search.exhausted()) {
        report.end = search.has_enough() ? PartEnd::Enough : PartEnd::Stopped;
        report.why = memory.budget.reason();
    }
    report.blind_spots = execution.blind_spots();
    report.knowledge = execution.knowledge();
    if (report.refined) {
        report.state.assumptions = memory.assumptions;
        return;
    }
    SearchState state = search.state();
    if (report.end == PartEnd::Finished && !state.deferred.empty()) {
        report.rest = write_part(report.knowledge, rest_of(state));
    }
    drop_branches(state);
    report.state = std::move(state);
}

}  // namespace

std::string write_part(const Knowledge& knowledge, SearchState state) {
    state.counts = {};
    state.findings.clear();
    state.predicted.clear();
    state.races.clear();
    state.paths_at_bound.clear();
    state.used_fairness = false;
    return write_search({{}, knowledge, std::move(state)});
}

PartReport run_part(Execution& execution, const SearchOptions& options, const std::string& part,
                    const std::string& known, SearchListener* listener, SearchSharer* sharer) {
    PartReport report;
    try {
        SearchState state = read_for(execution, part).state;
        if (!known.empty()) state.assumptions = read_for(execution, known).state.assumptions;
        SearchOptions of_part = options;
        if (options.bound) of_part.bound = state.bound;
        if (is_of_classes(options)) {
            run<ClassSearch>(execution, of_part, state, listener, sharer, report);
        } else {
            run<ExitBlockSearch>(execution, of_part, state, listener, sharer, report);
        }
    } catch (const Error& error) {
        report.end = PartEnd::Failed;
        report.why = error.what();
    } catch (const std::exception& error) {
        report.end = PartEnd::Broken;
        report.why = error.what();
    }
    return report;
}

std::string write_report(const PartReport& report) {
    SavedSearch saved{{}, report.knowledge, report.state};
    saved.about[end_key] = std::to_string(static_cast<int>(report.end));
    saved.about[why_key] = report.why;
    if (report.refined) saved.about[refined_key] = "yes";
    for (std::size_t index = 0; index < report.blind_spots.size(); ++index) {
        saved.about[blind_key + std::to_string(index)] = report.blind_spots[index];
    }
    return write_search(saved);
}

PartReport read_report(const std::string& text, const Names& own) {
    SavedSearch saved = read_search(text, own);
    PartReport report;
    const int end = std::stoi("0" + saved.about[end_key]);
    COOPCHECK_CHECK(end <= static_cast<int>(PartEnd::Broken), "a part of a search ended in no known way");
    report.end = static_cast<PartEnd>(end);
    report.why = saved.about[why_key];
    report.refined = saved.about.contains(refined_key);
    for (const auto& [key, value] : saved.about) {
        if (key.starts_with(blind_key)) report.blind_spots.push_back(value);
    }
    report.knowledge = std::move(saved.knowledge);
    report.state = std::move(saved.state);
    return report;
}

}  // namespace coopcheck
