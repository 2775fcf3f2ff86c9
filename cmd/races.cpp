#include "cmd/races.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include "core/race.hpp"

namespace coopcheck::cmd {

namespace {

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string_view verb(const Access& access) {
    if (access.freed) return "frees";
    if (!access.write) return "reads";
    return access.also_read ? "reads and writes" : "writes";
}

std::string side_in_words(tracer::TracedExecution& execution, const RaceSide& side) {
    const Access& access = side.access;
    const Names& names = execution.names();
    std::ostringstream text;
    text << "  " << names.threads.name(side.thread) << ' ' << verb(access) << ' ' << access.size
         << (access.size == 1 ? " byte" : " bytes");
    if (!access.freed && access.size <= sizeof access.before && access.stack) {
        text << " (" << hexadecimal(access.before);
        if (access.write) text << " -> " << hexadecimal(access.after);
        text << ')';
    }
    text << " at " << execution.describe_site(access.site) << ", ";
    if (side.locks.empty()) {
        text << "with no lock";
    } else {
        text << "with";
        for (const ObjectId lock : side.locks) text << ' ' << names.objects.name(lock);
    }
    text << '\n';
    if (access.stack) {
        for (const std::uint64_t frame : *access.stack) {
            const std::string place = execution.describe_site(frame);
            if (!place.empty()) text << "      " << place << '\n';
        }
    }
    return text.str();
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
    const std::map<std::string, FootprintSource> footprints = {{"locks", FootprintSource::Locks},
                                                               {"data", FootprintSource::Data}};
    command
        .add_option("--footprint", options.footprints,
                    "What blocks conflict by: the locks they use (default), or the data they access, which "
                    "prunes more and watches every access")
        ->transform(CLI::Transformer(footprints).description("locks|data"))
        ->envname("COOPCHECK_FOOTPRINT");
}

std::string describe_race(tracer::TracedExecution& execution, const Finding& finding) {
    const Race& race = *finding.race;
    std::ostringstream text;
    text << (race.ordered_here ? "no common lock" : "race") << " on "
         << execution.describe_location(finding.operation.location) << '\n'
         << side_in_words(execution, race.first) << side_in_words(execution, race.second);
    if (race.ordered_here) {
        text << "  locks happened to order the two in the schedules seen; nothing says that they always do\n";
    }
    return text.str();
}

std::string condition_on_data(const RaceWatch& watch, const SearchResult& result) {
    const std::string text = "shared data is accessed under locks (";
    if (!watch.is_on()) return text + "not checked)";
    if (watch.watched() == 0)
        return text + "not checked" + (watch.trouble().empty() ? "" : ": " + watch.trouble()) + ")";
    const bool holds = result.races.empty();
    const std::string answer = holds                   ? "yes"
                               : watch.makes_visible() ? "no; the accesses that are not are switched at"
                                                       : "no";
    const std::string where =
        watch.watched() == watch.paths()
            ? "in every schedule"
            : "in " + std::to_string(watch.watched()) + " of " + std::to_string(watch.paths()) + " schedules";
    const std::string until = watch.trouble().empty() ? "" : ", then no more (" + watch.trouble() + ")";
    return text + "checked " + where + until + ": " + answer + ")";
}

}  // namespace coopcheck::cmd
