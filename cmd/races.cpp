#include "cmd/races.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "cmd/traced_program.hpp"
#include "cmd/write_traces.hpp"
#include "core/race.hpp"
#include "core/retrace.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/race_words.hpp"
#include "reporting/step_words.hpp"

namespace coopcheck::cmd {

namespace {

/// In the order of the source, whoever was first.
using Places = std::tuple<std::string, std::string, std::string>;

Places places_of(tracer::TracedExecution& execution, const Finding& finding) {
    const Race& race = *finding.race;
    std::string first = execution.describe_site(race.first.access.site);
    std::string second = execution.describe_site(race.second.access.site);
    if (second < first) std::swap(first, second);
    return {std::move(first), std::move(second), execution.describe_location(race.second.access.location)};
}

/// Two writes are told before a read and a write, and what is known to be unordered before the rest.
bool is_better(const Finding& left, const Finding& right) {
    const auto rank = [](const Finding& finding) {
        return (finding.confirmed ? 2 : 0) +
               (finding.race->first.access.write && finding.race->second.access.write ? 1 : 0);
    };
    return rank(left) > rank(right);
}

std::string access_line(const Trace& trace, const TraceAccess& access) {
    const TraceAccess named = labelled(trace, access);
    return "    " + printable(named.thread) + " " + access_words(named) + ", " + lock_words(named) +
           (named.source.empty() ? "" : "  at " + printable(named.source)) + "\n";
}

}  // namespace

void declare_races(CLI::App& command, RaceOptions& options) {
    const std::map<std::string, RaceSampling> races = {
        {"off", RaceSampling::Off}, {"sample", RaceSampling::Sample}, {"every", RaceSampling::Every}};
    command
        .add_option("--races", options.races,
                    "How many schedules are run again with every access to memory watched: none, as many as "
                    "take at most half of the time (default), all")
        ->transform(CLI::Transformer(races).description("off|sample|every"))
        ->envname("COOPCHECK_RACES");
    const std::map<std::string, Points> points = {
        {"sync", Points::Sync}, {"racy", Points::Racy}, {"all-shared", Points::AllShared}};
    command
        .add_option(
            "--points", options.points,
            "Where threads can be switched if accesses are watched: at synchronization only, also at "
            "accesses to racy and atomic memory (default), at accesses to all memory that threads share")
        ->transform(CLI::Transformer(points).description("sync|racy|all-shared"))
        ->envname("COOPCHECK_POINTS");
    command
        .add_option_function<std::string>(
            "--footprint",
            [&options](const std::string& word) {
                options.footprints = word == "locks" ? FootprintSource::Locks : FootprintSource::Data;
                options.whole_pages = word == "pages";
            },
            "What blocks conflict by, in a search without a bound: the locks they use (default), or the data "
            "they access, which prunes "
            "more and watches every access, or the pages of memory that they access, which costs less and "
            "prunes less")
        ->check(CLI::IsMember({"locks", "data", "pages"}).description("locks|data|pages"))
        ->envname("COOPCHECK_FOOTPRINT");
    command
        .add_option("--suppress", options.suppress_file,
                    "A file with races not to be reported, one on each line: function:NAME, object:NAME or "
                    "file:PATTERN, with * and ?; # begins a comment")
        ->type_name("FILE")
        ->envname("COOPCHECK_SUPPRESS");
    command.add_flag(
        "--show-storage", options.show_storage,
        "List the memory that the program uses as unshared, protected (by which locks), unprotected or "
        "atomic, as watched schedules have shown it");
}

SortedRaces sort_races(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                       const std::vector<Finding>& races, Suppressions suppressions) {
    std::map<Places, Finding> once;
    for (const Finding& race : races) {
        const auto [known, is_new] = once.try_emplace(places_of(execution, race), race);
        if (!is_new && is_better(race, known->second)) known->second = race;
    }
    SortedRaces sorted;
    sorted.is_static = execution.is_static();
    for (auto& [places, race] : once) {
        std::optional<Trace> trace;
        if (!suppressions.empty() || !race.confirmed)
            trace = make_trace(execution, launch, {.finding = race});
        if (trace && suppressions.suppresses(*trace)) continue;
        if (execution.is_in_unknown_library(race.race->first.access.site) &&
            execution.is_in_unknown_library(race.race->second.access.site)) {
            sorted.unjudged += 1;
        } else if (race.confirmed) {
            sorted.findings.push_back(std::move(race));
        } else {
            sorted.undisciplined.push_back(std::move(*trace));
        }
    }
    sorted.suppressions = std::move(suppressions);
    return sorted;
}

std::size_t count_races(tracer::TracedExecution& execution, const std::vector<Finding>& races,
                        Suppressions suppressions) {
    const TraceWords words = words_of(execution);
    const TraceWriter writer(execution, words);
    std::set<Places> seen;
    for (const Finding& race : races) {
        if (!race.confirmed || (execution.is_in_unknown_library(race.race->first.access.site) &&
                                execution.is_in_unknown_library(race.race->second.access.site))) {
            continue;
        }
        Trace trace;
        trace.finding = writer.finding(race);
        for (const RaceSide* side : {&race.race->first, &race.race->second}) {
            trace.labels.emplace(execution.describe_location(side->access.location),
                                 execution.memory_label(side->access.location, side->thread));
        }
        if (!suppressions.suppresses(trace)) seen.insert(places_of(execution, race));
    }
    return seen.size();
}

std::string describe(const SortedRaces& races) {
    std::string text;
    if (!races.undisciplined.empty()) {
        text +=
            "accesses without a lock in common, ordered in the schedules seen (no findings, but claims rest "
            "on "
            "that order):\n";
    }
    for (const Trace& trace : races.undisciplined) {
        const TraceRace& race = *trace.finding.race;
        text += "  " + printable(label_of(trace, race.second.operation.location)) + "\n" +
                access_line(trace, race.first) + access_line(trace, race.second);
    }
    for (const std::string& sentence : describe(races.suppressions)) text += sentence + "\n";
    return text;
}

std::string condition_on_data(const RaceWatch& watch, const SortedRaces& races, std::size_t run) {
    const std::string text = "shared data is accessed under locks (";
    if (!watch.is_on()) return text + "not checked)";
    if (watch.watched() == 0)
        return text + "not checked" + (watch.trouble().empty() ? "" : ": " + watch.trouble()) + ")";
    const std::size_t suppressed = races.suppressions.suppressed();
    const bool holds = races.findings.empty() && races.undisciplined.empty() && suppressed == 0;
    std::string answer = holds                   ? "yes"
                         : watch.makes_visible() ? "no; the accesses that are not are switched at"
                                                 : "no";
    if (suppressed > 0) {
        answer +=
            "; " + std::to_string(suppressed) + (suppressed == 1 ? " race is" : " races are") + " suppressed";
    }
    if (races.is_static) answer += "; a part of the heap is not watched in a static program";
    if (races.unjudged > 0) {
        answer +=
            "; of " + std::to_string(races.unjudged) +
            " pairs of accesses inside libraries without debug information nothing tells whether they are "
            "atomic";
    }
    const std::size_t all = std::max(watch.paths(), run);
    const std::string where = watch.watched() == all ? "in every schedule"
                                                     : "in " + std::to_string(watch.watched()) + " of " +
                                                           std::to_string(all) + " schedules";
    const std::string until = watch.trouble().empty() ? "" : ", then no more (" + watch.trouble() + ")";
    return text + "checked " + where + until + ": " + answer + ")";
}

}  // namespace coopcheck::cmd
