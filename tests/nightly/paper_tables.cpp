// paper_tables measure SECONDS RESULTS.json [TABLE...]: measures what the papers' tables say, with the
// programs of the corpus, for about so long. What is in the file already is not measured again, so that an
// interrupted night can be gone on with. paper_tables render RESULTS.json PUBLISHED.json REVISION: writes
// docs/results.md, from what was measured and what was published, to standard output.
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "reporting/trace_file.hpp"
#include "tests/cmd/captured_run.hpp"
#include "tests/nightly/measured.hpp"
#include "tests/nightly/paper_counts.hpp"
#include "tests/nightly/results_page.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::testing;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// As in Cooperari's table.
constexpr int most_trials = 1'000;
constexpr int free_runs = 200;
/// As in ConTest's fourth experiment: of so many threads each.
constexpr int depth_threads = 10;

const std::vector<std::string> cooperari_programs{
    "alarm_clock", "apache_common_lang", "bank",  "clean_tasks", "dining_philosophers",
    "linked_list", "merge_sort",         "piper", "reorder",     "semaphore",
    "two_stage",   "wrong_lock"};

long number_in(const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? std::stol(match[1]) : 0;
}

bool is_free(const Words& options) {
    return std::any_of(options.begin(), options.end(),
                       [](const std::string& word) { return word == "none" || word == "noise"; });
}

/// That there is a race is not the bug yet: the bug is what comes of it.
bool has_bug(const TemporaryFolder& folder) {
    for (std::size_t nth = 1;; ++nth) {
        const std::string file =
            folder.file(nth == 1 ? "trace.json" : "trace-" + std::to_string(nth) + ".json");
        if (!std::filesystem::exists(file)) return false;
        if (read_trace(file).finding.kind != FindingKind::Race) return true;
    }
}

Json explore_once(const std::string& program, const Words& arguments, const Words& options,
                  int allowed = most_trials) {
    const TemporaryFolder folder;
    Words words{"explore", "--out", folder.path(), "--minimize-time", "0"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(std::string(COOPCHECK_CORPUS_FOLDER) + "/" + program);
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Clock::time_point start = Clock::now();
    const CapturedRun run = run_coopcheck(words);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const auto* exited = std::get_if<tracer::Exited>(&run.end);
    const bool has_found = exited != nullptr && exited->code == 1;
    Json row{{"seconds", seconds}, {"found", has_found && (is_free(options) || has_bug(folder))}};
    const bool is_complete =
        run.out.starts_with("complete:") || run.out.find("\ncomplete:") != std::string::npos;
    if (is_complete) row["complete"] = true;
    if (exited == nullptr || exited->code == 2 || exited->code == 4) row["error"] = run.err;
    long trials = number_in(run.out, R"(complete: (\d+) schedules run)");
    if (trials == 0) trials = number_in(run.out, R"(complete[^(\n]*\((\d+) run)");
    if (const long runs = number_in(run.out, R"((\d+) (?:native runs|runs with noise))")) {
        trials = runs;
        row["faults"] = number_in(run.out, R"(was seen in (\d+) of)");
    }
    row["trials"] = trials;
    // Not found, and not in as many trials as were allowed: the time was over.
    row["cut"] = !row["found"] && !is_complete && !row.contains("error") && trials < allowed;
    return row;
}

Words with_limits(Words words, const Measured& measured) {
    const Words more{"--schedules", std::to_string(most_trials), "--time",
                     std::to_string(measured.seconds_for_one())};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void measure_cooperari(Measured& measured) {
    const std::vector<std::pair<std::string, Words>> columns{
        {"history", {"--strategy", "history"}},
        {"random", {"--strategy", "uniform"}},
        {"unconstrained", {"--strategy", "none"}},
        {"exitblock", {"--strategy", "exitblock", "--bound", "2"}},
        {"pct", {"--strategy", "pct"}},
        {"surw", {"--strategy", "surw"}}};
    for (const int threads : {2, 4, 8, 16, 32}) {
        for (const std::string& program : cooperari_programs) {
            for (const auto& [column, options] : columns) {
                const Words arguments{std::to_string(threads)};
                measured.cell(
                    "cooperari_5_3", command_line(program, arguments), column, [&, &given = options] {
                        return explore_once("cooperari/" + program, arguments, with_limits(given, measured));
                    });
            }
        }
    }
}

/// Ways to run without control.
const std::vector<std::pair<std::string, Words>>& free_columns() {
    static const std::vector<std::pair<std::string, Words>> columns{
        {"none", {"--strategy", "none"}},
        {"yield", {"--strategy", "noise", "--noise", "yield"}},
        {"sleep", {"--strategy", "noise", "--noise", "sleep"}},
        {"priority", {"--strategy", "noise", "--noise", "priority"}}};
    return columns;
}

/// How many of the runs show the fault.
void measure_free_runs(Measured& measured, const std::string& table, const std::string& program,
                       const Words& arguments) {
    for (const auto& [column, options] : free_columns()) {
        measured.cell(table, command_line(program, arguments), column, [&, &given = options] {
            Words words = given;
            words.insert(words.end(), {"--schedules", std::to_string(free_runs), "--keep-going", "--run-time",
                                       "2", "--time", std::to_string(3 * measured.seconds_for_one())});
            return explore_once(program, arguments, words, free_runs);
        });
    }
}

void measure_contest(Measured& measured) {
    measure_free_runs(measured, "contest", "contest/first_flag", {"3"});
    measure_free_runs(measured, "contest", "contest/move_money", {"4"});
    measure_free_runs(measured, "contest", "contest/move_money", {"4", "busywork"});
    measure_free_runs(measured, "contest", "contest/notification", {"4"});
    measure_free_runs(measured, "contest", "contest/recursive_threads", {"4"});
    measure_free_runs(measured, "contest", "cooperari/dining_philosophers", {"5"});
}

void measure_rstest(Measured& measured) {
    for (const std::string program : {"exchange_pos", "fund_managers", "clean_endless"}) {
        measured.cell("rstest", program, "none", [&] {
            return explore_once("rstest/" + program, {},
                                {"--strategy", "none", "--schedules", std::to_string(free_runs), "--run-time",
                                 "2", "--time", "30"},
                                free_runs);
        });
        measured.cell("rstest", program, "random", [&] {
            return explore_once("rstest/" + program, {},
                                with_limits({"--strategy", "random", "--thread-steps", "2000"}, measured));
        });
    }
}

void measure_scale(Measured& measured) {
    for (const std::string interaction : {"together", "apart"}) {
        const Words arguments{"4", "20", interaction};
        measured.cell("exitblock", command_line("regions", arguments), "exitblock", [&] {
            return explore_once("exitblock/regions", arguments,
                                with_limits({"--strategy", "exitblock", "--bound", "2"}, measured));
        });
    }
}

/// How often each number of threads lived at the same time, in all runs together, and how many threads did
/// not find what they looked for.
void measure_depths(Measured& measured) {
    for (const auto& [column, options] : free_columns()) {
        measured.cell("contest_depth", "concurrent_depth", column, [&, &given = options] {
            const TemporaryFolder folder;
            const std::string file = folder.file("outputs");
            Words words{"explore",
                        "--out",
                        folder.path(),
                        "--minimize-time",
                        "0",
                        "--oracle",
                        "cat >>'" + file + "'",
                        "--schedules",
                        std::to_string(free_runs),
                        "--keep-going",
                        "--run-time",
                        "2",
                        "--time",
                        std::to_string(3 * measured.seconds_for_one())};
            words.insert(words.end(), given.begin(), given.end());
            words.insert(words.end(), {COOPCHECK_DEPTH_PROGRAM, std::to_string(depth_threads)});
            const CapturedRun run = run_coopcheck(words);
            Json row{{"runs", 0}, {"faults", 0}, {"depths", std::vector<long>(depth_threads + 1)}};
            std::ifstream outputs(file);
            for (std::string line; std::getline(outputs, line);) {
                std::istringstream parts(line.substr(line.find("faults")));
                std::string word;
                long number = 0;
                parts >> word >> number;
                row["runs"] = row["runs"].get<long>() + 1;
                row["faults"] = row["faults"].get<long>() + number;
                parts >> word;
                for (int depth = 0; depth <= depth_threads && parts >> number; ++depth) {
                    row["depths"][static_cast<std::size_t>(depth)] =
                        row["depths"][static_cast<std::size_t>(depth)].get<long>() + number;
                }
            }
            if (row["runs"] == 0) row["error"] = run.out + run.err;
            return row;
        });
    }
}

/// All tables, or those that are named.
int measure(long seconds, const std::string& file, const Words& names) {
    Measured measured(seconds, file);
    const std::vector<std::pair<std::string, void (*)(Measured&)>> tables{
        {"scale", measure_scale},   {"rstest", measure_rstest}, {"contest", measure_contest},
        {"depths", measure_depths}, {"counts", measure_counts}, {"cooperari", measure_cooperari}};
    for (const auto& [name, how] : tables) {
        if (names.empty() || std::find(names.begin(), names.end(), name) != names.end()) how(measured);
    }
    if (measured.left() == 0) return 0;
    std::cout << "The time was over; " << measured.left() << " cells are left.\n";
    return 3;
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
        if (words.size() >= 3 && words[0] == "measure") {
            return measure(std::stol(words[1]), words[2], Words(words.begin() + 3, words.end()));
        }
        if (words.size() == 4 && words[0] == "render") {
            std::cout << results_page(read_json(words[1]), read_json(words[2]), words[3]);
            return 0;
        }
    } catch (const std::exception& error) {
        std::cerr << "paper_tables: " << error.what() << "\n";
        return 2;
    }
    std::cerr << "paper_tables measure SECONDS RESULTS.json [TABLE...] | render RESULTS.json PUBLISHED.json "
                 "REVISION\n";
    return 2;
}
