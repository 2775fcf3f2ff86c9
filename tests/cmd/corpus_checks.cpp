#include "tests/cmd/corpus_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <variant>

#include "reporting/trace_file.hpp"
#include "reporting/trace_names.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace coopcheck::testing {

namespace {

using Clock = std::chrono::steady_clock;

int exit_code_of(const CapturedRun& run) {
    const auto* exited = std::get_if<tracer::Exited>(&run.end);
    return exited == nullptr ? -1 : exited->code;
}

/// "incomplete (7 run, 5 pruned): ...", of the last search.
std::size_t schedules_in(const std::string& report) {
    static const std::regex count(R"(complete[^(\n]*\((\d+) run)");
    std::size_t schedules = 0;
    for (std::sregex_iterator match(report.begin(), report.end(), count), end; match != end; ++match) {
        schedules = std::stoul((*match)[1]);
    }
    return schedules;
}

/// The trace of the expected kind, or the first one: a race may be reported beside what it leads to.
std::optional<std::string> trace_file(const TemporaryFolder& folder, const std::string& kind) {
    std::optional<std::string> first;
    for (std::size_t nth = 1;; ++nth) {
        const std::string name = nth == 1 ? "trace.json" : "trace-" + std::to_string(nth) + ".json";
        if (!std::filesystem::exists(folder.file(name))) return first;
        if (!first) first = folder.file(name);
        if (file_name(read_trace(folder.file(name)).finding.kind) == kind) return folder.file(name);
    }
}

CorpusRun explore_program(const std::string& program, const Words& arguments, const Words& options,
                          const TemporaryFolder& folder) {
    CorpusRun result;
    result.command = command_line(program, arguments);
    // Watched, as by default: a program that is said to be fixed has no race.
    Words words{"explore", "--races", "sample", "--out", folder.path()};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(std::string(COOPCHECK_CORPUS_FOLDER) + "/" + program);
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Clock::time_point start = Clock::now();
    const CapturedRun run = run_coopcheck(words);
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.exit_code = exit_code_of(run);
    result.schedules = schedules_in(run.out);
    if (result.exit_code != 0 && result.exit_code != 1) result.complaints.push_back(run.out + run.err);
    return result;
}

Words with_options(const CorpusEntry& entry, Words options) {
    options.insert(options.end(), entry.options.begin(), entry.options.end());
    return options;
}

/// Where the finding is: a deadlock is where its threads wait.
std::vector<std::string> places_of(const TraceFinding& finding) {
    if (finding.kind != FindingKind::Deadlock) return {finding.source};
    std::vector<std::string> places;
    for (const TraceWait& wait : finding.waits) places.push_back(wait.source);
    return places;
}

bool is_at(const std::vector<std::string>& places, const std::vector<std::string>& expected) {
    return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
        return std::any_of(expected.begin(), expected.end(),
                           [&](const std::string& mark) { return place.ends_with(" " + mark); });
    });
}

void compare_preemptions(const Trace& trace, const ExpectedFinding& expected, bool can_be_proved,
                         std::vector<std::string>& complaints) {
    if (trace.preemptions != expected.preemptions) {
        complaints.push_back("it has " + std::to_string(trace.preemptions) + " preemptions, not " +
                             std::to_string(expected.preemptions));
    }
    if (can_be_proved && !trace.minimal) complaints.emplace_back("not proved to need its preemptions");
}

void compare(const Trace& trace, const ExpectedFinding& expected, std::vector<std::string>& complaints) {
    const std::string kind(file_name(trace.finding.kind));
    if (kind != expected.kind) complaints.push_back("found: " + kind + ", not: " + expected.kind);
    if (!trace.finding.confirmed) complaints.emplace_back("only predicted");
    const std::vector<std::string> places = places_of(trace.finding);
    if (!expected.places.empty() && !is_at(places, expected.places)) {
        complaints.push_back("found at " + (places.empty() ? "no place" : places.front()) +
                             ", which is not marked");
    }
}

}  // namespace

CorpusRun check_broken(const CorpusEntry& entry, const Words& arguments, const CorpusLimits& limits) {
    const TemporaryFolder folder;
    Words options{"--bound", std::to_string(entry.bound), "--schedules", std::to_string(limits.schedules)};
    if (!limits.minimal) options.insert(options.end(), {"--minimize-time", "0"});
    if (limits.time_s) options.insert(options.end(), {"--time", std::to_string(*limits.time_s)});
    CorpusRun run = explore_program(entry.program, arguments, with_options(entry, options), folder);
    const std::optional<std::string> file = trace_file(folder, entry.finding->kind);
    if (run.exit_code != 1 || !file) {
        run.complaints.emplace_back("not found");
        return run;
    }
    run.trace = read_trace(*file);
    compare(*run.trace, *entry.finding, run.complaints);
    if (limits.minimal) {
        // Where schedules are cut nothing is proved.
        const bool is_cut =
            std::find(entry.options.begin(), entry.options.end(), "--thread-steps") != entry.options.end();
        compare_preemptions(*run.trace, *entry.finding, !is_cut, run.complaints);
    }
    const CapturedRun replayed = run_coopcheck({"replay", *file});
    if (exit_code_of(replayed) != 1) run.complaints.push_back("not replayed: " + replayed.out + replayed.err);
    return run;
}

CorpusRun check_harmless(const CorpusEntry& entry, const Words& arguments) {
    const TemporaryFolder folder;
    CorpusRun run = explore_program(entry.program, arguments,
                                    with_options(entry, {"--bound", std::to_string(entry.bound)}), folder);
    if (run.exit_code != 0) run.complaints.emplace_back("not clean and complete");
    return run;
}

CorpusRun check_fixed(const CorpusEntry& entry, bool without_bound) {
    const TemporaryFolder folder;
    const Words options =
        without_bound ? Words{"--unbounded"} : Words{"--bound", std::to_string(entry.fixed->bound)};
    CorpusRun run = explore_program(entry.program + "_fixed", entry.fixed->arguments,
                                    with_options(entry, options), folder);
    if (run.exit_code != 0) run.complaints.emplace_back("not clean and complete");
    return run;
}

}  // namespace coopcheck::testing
