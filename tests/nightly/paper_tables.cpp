// paper_tables measure SECONDS RESULTS.json: measures what the papers' tables say, with the programs of the
// corpus, for about so long. What is in the file already is not measured again, so that an interrupted night
// can be gone on with. paper_tables render RESULTS.json PUBLISHED.json: writes docs/results.md, from what was
// measured and what was published, to standard output.
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <variant>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/nightly/results_page.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tracer/traced_execution.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::testing;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// As in Cooperari's table.
constexpr int most_trials = 1'000;
/// A search that is hopeless is not to take the night.
constexpr int most_seconds = 20;
constexpr int free_runs = 200;

const std::vector<std::string> cooperari_programs{
    "alarm_clock", "apache_common_lang", "bank",  "clean_tasks", "dining_philosophers",
    "linked_list", "merge_sort",         "piper", "reorder",     "semaphore",
    "two_stage",   "wrong_lock"};

class Night {
  public:
    Night(long seconds, std::string file)
        : end_(Clock::now() + std::chrono::seconds(seconds)), file_(std::move(file)) {
        std::ifstream stream(file_);
        if (stream) rows_ = Json::parse(stream);
    }

    [[nodiscard]] bool is_over() const { return Clock::now() >= end_; }

    /// Measures what is not known yet, and writes it down at once.
    template <typename Measure>
    void measure(const std::string& table, const std::string& command, const std::string& column,
                 Measure how) {
        const std::string key = table + " | " + command + " | " + column;
        if (rows_.contains(key) || is_over()) return;
        Json row = how();
        row["table"] = table;
        row["command"] = command;
        row["column"] = column;
        std::cout << key << ": " << row.dump() << std::endl;
        rows_[key] = std::move(row);
        std::ofstream stream(file_ + ".new");
        stream << rows_.dump(2) << "\n";
        stream.close();
        std::filesystem::rename(file_ + ".new", file_);
    }

  private:
    Clock::time_point end_;
    std::string file_;
    Json rows_ = Json::object();
};

long number_in(const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? std::stol(match[1]) : 0;
}

Json explore_once(const std::string& program, const Words& arguments, Words options) {
    const TemporaryFolder folder;
    Words words{"explore", "--out", folder.path(), "--minimize-time", "0"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(std::string(COOPCHECK_CORPUS_FOLDER) + "/" + program);
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Clock::time_point start = Clock::now();
    const CapturedRun run = run_coopcheck(words);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const auto* exited = std::get_if<tracer::Exited>(&run.end);
    Json row{{"seconds", seconds}, {"found", exited != nullptr && exited->code == 1}};
    if (exited == nullptr || exited->code == 2 || exited->code == 4) row["error"] = run.err;
    long trials = number_in(run.out, R"(complete: (\d+) schedules run)");
    if (trials == 0) trials = number_in(run.out, R"(complete[^(\n]*\((\d+) run)");
    if (const long runs = number_in(run.out, R"((\d+) (?:native runs|runs with noise))")) {
        trials = runs;
        row["faults"] = number_in(run.out, R"(was seen in (\d+) of)");
    }
    row["trials"] = trials;
    return row;
}

Words limits() {
    return {"--schedules", std::to_string(most_trials), "--time", std::to_string(most_seconds)};
}

Words with_limits(Words words) {
    const Words more = limits();
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void measure_cooperari(Night& night) {
    const std::vector<std::pair<std::string, Words>> columns{{"history", {"--strategy", "history"}},
                                                             {"random", {"--strategy", "uniform"}},
                                                             {"unconstrained", {"--strategy", "none"}},
                                                             {"exitblock", {"--bound", "2"}},
                                                             {"pct", {"--strategy", "pct"}},
                                                             {"surw", {"--strategy", "surw"}}};
    for (const int threads : {2, 4, 8, 16, 32}) {
        for (const std::string& program : cooperari_programs) {
            for (const auto& [column, options] : columns) {
                const Words arguments{std::to_string(threads)};
                night.measure("cooperari_5_3", command_line(program, arguments), column,
                              [&, &given = options] {
                                  return explore_once("cooperari/" + program, arguments, with_limits(given));
                              });
            }
        }
    }
}

/// Runs without control: how many of them show the fault.
void measure_free_runs(Night& night, const std::string& table, const std::string& program,
                       const Words& arguments) {
    const std::vector<std::pair<std::string, Words>> columns{
        {"none", {"--strategy", "none"}},
        {"yield", {"--strategy", "noise", "--noise", "yield"}},
        {"sleep", {"--strategy", "noise", "--noise", "sleep"}},
        {"priority", {"--strategy", "noise", "--noise", "priority"}}};
    for (const auto& [column, options] : columns) {
        night.measure(table, command_line(program, arguments), column, [&, &given = options] {
            Words words = given;
            words.insert(words.end(), {"--schedules", std::to_string(free_runs), "--keep-going", "--run-time",
                                       "2", "--time", std::to_string(3 * most_seconds)});
            return explore_once(program, arguments, words);
        });
    }
}

void measure_contest(Night& night) {
    measure_free_runs(night, "contest", "contest/first_flag", {"3"});
    measure_free_runs(night, "contest", "contest/move_money", {"4"});
    measure_free_runs(night, "contest", "contest/move_money", {"4", "busywork"});
    measure_free_runs(night, "contest", "contest/notification", {"4"});
    measure_free_runs(night, "contest", "contest/recursive_threads", {"4"});
    measure_free_runs(night, "contest", "cooperari/dining_philosophers", {"5"});
}

void measure_rstest(Night& night) {
    for (const std::string program : {"exchange_pos", "fund_managers", "clean_endless"}) {
        night.measure("rstest", program, "none", [&] {
            return explore_once(
                "rstest/" + program, {},
                {"--strategy", "none", "--schedules", "200", "--run-time", "2", "--time", "30"});
        });
        night.measure("rstest", program, "random", [&] {
            return explore_once("rstest/" + program, {},
                                with_limits({"--strategy", "random", "--thread-steps", "2000"}));
        });
    }
}

void measure_scale(Night& night) {
    for (const std::string interaction : {"together", "apart"}) {
        const Words arguments{"4", "20", interaction};
        night.measure("exitblock", command_line("regions", arguments), "exitblock", [&] {
            return explore_once("exitblock/regions", arguments, with_limits({"--bound", "2"}));
        });
    }
}

/// The variants of ExitBlock, as the paper has them and as they are here.
void measure_counts(Night& night) {
    const std::vector<std::pair<std::string, SearchOptions>> columns{
        {"ExitBlock",
         {.pruning = Pruning::None, .nested_locks = NestedLocks::Predict, .find_deadlocks = false}},
        {"-RW",
         {.footprints = FootprintSource::PlainData,
          .nested_locks = NestedLocks::Predict,
          .find_deadlocks = false}},
        {"-DD", {.pruning = Pruning::None, .nested_locks = NestedLocks::Predict}},
        {"-RWDD", {.footprints = FootprintSource::PlainData, .nested_locks = NestedLocks::Predict}},
        {"ours", {}}};
    for (const CorpusEntry& entry : read_corpus(COOPCHECK_CORPUS_SOURCE_FOLDER)) {
        if (!entry.exitblock) continue;
        const ExpectedCount& expected = *entry.exitblock;
        for (const auto& [column, options] : columns) {
            night.measure(
                "counts", command_line(expected.program, expected.arguments), column, [&, &given = options] {
                    tracer::LaunchOptions launch;
                    launch.program = std::string(COOPCHECK_CORPUS_FOLDER) + "/" + expected.program;
                    launch.arguments = expected.arguments;
                    launch.input = "";
                    tracer::TracedExecution execution(launch, {});
                    const SearchResult result = explore(execution, given);
                    return Json{{"trials", result.counts.paths()}, {"abandoned", result.counts.abandoned}};
                });
        }
    }
}

int measure(long seconds, const std::string& file) {
    Night night(seconds, file);
    measure_scale(night);
    measure_counts(night);
    measure_rstest(night);
    measure_contest(night);
    measure_cooperari(night);
    return night.is_over() ? 3 : 0;
}

Json read_json(const std::string& name) {
    std::ifstream file(name);
    if (!file) throw std::runtime_error("There is no file " + name + ".");
    return Json::parse(file);
}

}  // namespace

int main(int count, char** arguments) {
    const Words words(arguments + 1, arguments + count);
    try {
        if (words.size() == 3 && words[0] == "measure") return measure(std::stol(words[1]), words[2]);
        if (words.size() == 3 && words[0] == "render") {
            std::cout << results_page(read_json(words[1]), read_json(words[2]));
            return 0;
        }
    } catch (const std::exception& error) {
        std::cerr << "paper_tables: " << error.what() << "\n";
        return 2;
    }
    std::cerr << "paper_tables measure SECONDS RESULTS.json | render RESULTS.json PUBLISHED.json\n";
    return 2;
}
