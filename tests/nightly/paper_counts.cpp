#include "tests/nightly/paper_counts.hpp"

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/support/corpus.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::testing {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_schedules = 20'000;
constexpr unsigned highest_bound = 3;

struct Column {
    std::string name;
    SearchOptions options;
    /// The paper's own footprints are those of data.
    Watching watching = Watching::Off;
};

/// The variants of ExitBlock as the paper has them, and the searches as they are here.
std::vector<Column> columns() {
    SearchOptions bounded;
    bounded.bound = highest_bound;
    bounded.granularity = Granularity::Operations;
    SearchOptions classes = bounded;
    classes.reduction = Reduction::Source;
    return {
        {"ExitBlock",
         {.pruning = Pruning::None, .nested_locks = NestedLocks::Predict, .find_deadlocks = false}},
        {"-RW",
         {.footprints = FootprintSource::PlainData,
          .nested_locks = NestedLocks::Predict,
          .find_deadlocks = false},
         Watching::Every},
        {"-DD", {.pruning = Pruning::None, .nested_locks = NestedLocks::Predict}},
        {"-RWDD",
         {.footprints = FootprintSource::PlainData, .nested_locks = NestedLocks::Predict},
         Watching::Every},
        {"ours", {}},
        {"data", {.footprints = FootprintSource::Data}, Watching::Every},
        {"pages", {.footprints = FootprintSource::Data}, Watching::FirstTouch},
        {"source", {.reduction = Reduction::Source}},
        {"optimal", {.reduction = Reduction::Optimal}},
        {"bounded", bounded},
        {"classes", classes},
    };
}

Json count(const std::string& program, const Words& arguments, const Column& column, int seconds) {
    tracer::LaunchOptions launch;
    launch.program = std::string(COOPCHECK_CORPUS_FOLDER) + "/" + program;
    launch.arguments = arguments;
    launch.input = "";
    tracer::TracedExecution execution(launch, {.racy_points = tracer::RacyPoints::Breakpoints});
    execution.set_watching(column.watching);
    SearchOptions options = column.options;
    constexpr unsigned patience_of_the_command_line = 4;
    options.spin_patience = patience_of_the_command_line;
    options.budget.schedules = most_schedules;
    const Clock::time_point start = Clock::now();
    options.budget.interruption = [&]() -> std::optional<std::string> {
        if (Clock::now() - start < std::chrono::seconds(seconds)) return std::nullopt;
        return "the time is up";
    };
    const SearchResult result = explore(execution, options);
    Json row{{"trials", result.counts.complete + result.counts.deadlocked + result.counts.livelocked},
             {"in_vain", result.counts.redundant},
             {"truncated", result.counts.truncated},
             {"seconds", std::chrono::duration<double>(Clock::now() - start).count()},
             {"cut", !result.exhausted}};
    if (options.bound) {
        row["at_bound"] = result.paths_at_bound;
        row["nothing_left"] = result.bound_left_nothing;
    }
    return row;
}

struct Subject {
    std::string program;
    Words arguments;
};

/// Fixed programs, and those whose schedules are counted by hand. Others need options, or have no end.
std::vector<Subject> subjects() {
    std::vector<Subject> all;
    for (const CorpusEntry& entry : read_corpus(COOPCHECK_CORPUS_SOURCE_FOLDER)) {
        if (entry.exitblock) all.push_back({entry.exitblock->program, entry.exitblock->arguments});
        const bool is_plain = entry.options.empty() && entry.needs.empty();
        if (is_plain && entry.fixed) all.push_back({entry.program + "_fixed", entry.fixed->arguments});
    }
    return all;
}

}  // namespace

void measure_counts(Measured& measured) {
    const std::vector<Subject> programs = subjects();
    for (const Column& column : columns()) {
        for (const Subject& subject : programs) {
            measured.cell("counts", command_line(subject.program, subject.arguments), column.name, [&] {
                try {
                    return count(subject.program, subject.arguments, column, measured.seconds_for_one());
                } catch (const std::exception& error) {
                    return Json{{"error", error.what()}};
                }
            });
        }
    }
}

}  // namespace coopcheck::testing
