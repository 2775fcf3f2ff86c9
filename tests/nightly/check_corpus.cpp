// check_corpus SECONDS [RESULTS.json]: all of corpus/manifest.json, for about so long: broken programs are
// found out within the limits, with their preemptions, and replayed; fixed ones are clean. Programs that are
// known to be missed, or that need what coopcheck cannot do yet, are run and shown, and do not count as
// failures. Exits with 1 if something is not as the manifest says, and with 3 if the time was over before all
// was run.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reporting/trace_names.hpp"
#include "tests/cmd/corpus_checks.hpp"
#include "tests/support/corpus.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::testing;
using Clock = std::chrono::steady_clock;

/// The targets: so many schedules, and so many seconds on a machine that does nothing else.
constexpr CorpusLimits limits{.schedules = 1'000, .time_s = 10};

class Night {
  public:
    explicit Night(long seconds) : end_(Clock::now() + std::chrono::seconds(seconds)) {}

    template <typename Check>
    void run(const char* part, bool has_to_pass, Check check) {
        if (Clock::now() >= end_) {
            is_over_ = true;
            return;
        }
        const CorpusRun run = check();
        const bool is_well = run.complaints.empty();
        if (!is_well && has_to_pass) failures_ += 1;
        std::cout << (is_well       ? "ok      "
                      : has_to_pass ? "FAILED  "
                                    : "missed  ")
                  << part << " " << run.command << ", " << run.schedules << " schedules, " << run.seconds
                  << " s\n";
        if (has_to_pass) {
            for (const std::string& complaint : run.complaints) std::cout << "        " << complaint << "\n";
        }
        remember(part, has_to_pass, run);
    }

    [[nodiscard]] const nlohmann::json& results() const { return results_; }

    int finish() const {
        std::cout << results_.size() << " run, " << failures_ << " failed"
                  << (is_over_ ? ", stopped when the time was over" : "") << "\n";
        if (failures_ > 0) return 1;
        return is_over_ ? 3 : 0;
    }

  private:
    void remember(const char* part, bool has_to_pass, const CorpusRun& run) {
        nlohmann::json row{{"part", part},
                           {"command", run.command},
                           {"expected", has_to_pass},
                           {"as_expected", run.complaints.empty()},
                           {"exit_code", run.exit_code},
                           {"schedules", run.schedules},
                           {"seconds", run.seconds}};
        if (run.trace) {
            row["kind"] = file_name(run.trace->finding.kind);
            row["preemptions"] = run.trace->preemptions;
            row["minimal"] = run.trace->minimal;
        }
        results_.push_back(std::move(row));
    }

    Clock::time_point end_;
    bool is_over_ = false;
    int failures_ = 0;
    nlohmann::json results_ = nlohmann::json::array();
};

void run_entry(const CorpusEntry& entry, Night& night) {
    const bool is_able = entry.needs.empty();
    for (const std::vector<Words>* part : {&entry.quick, &entry.nightly}) {
        for (const Words& arguments : *part) {
            night.run("broken", is_able, [&] { return check_broken(entry, arguments, limits); });
        }
    }
    for (const Words& arguments : entry.many) {
        CorpusLimits found_at_all = limits;
        found_at_all.minimal = false;
        night.run("many", is_able, [&] { return check_broken(entry, arguments, found_at_all); });
    }
    for (const Words& arguments : entry.missed) {
        night.run("missed", false, [&] { return check_broken(entry, arguments, limits); });
    }
    for (const Words& arguments : entry.harmless) {
        night.run("harmless", true, [&] { return check_harmless(entry, arguments); });
    }
    if (!entry.fixed) return;
    night.run("fixed", true, [&] { return check_fixed(entry, false); });
    if (entry.fixed->all_schedules)
        night.run("all schedules of fixed", true, [&] { return check_fixed(entry, true); });
}

int run(const std::vector<std::string>& arguments) {
    Night night(std::stol(arguments.at(0)));
    for (const CorpusEntry& entry : read_corpus(COOPCHECK_CORPUS_SOURCE_FOLDER)) run_entry(entry, night);
    if (arguments.size() > 1) {
        std::ofstream file(arguments[1]);
        file << night.results().dump(2) << "\n";
        if (!file.flush()) throw std::runtime_error("Cannot write " + arguments[1] + ".");
    }
    return night.finish();
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::cerr << "check_corpus SECONDS [RESULTS.json]\n";
        return 2;
    }
    try {
        return run({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::cerr << "check_corpus: " << error.what() << "\n";
        return 2;
    }
}
