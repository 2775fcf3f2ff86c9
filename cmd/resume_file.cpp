#include "cmd/resume_file.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "core/trace.hpp"
#include "reporting/shell_words.hpp"
#include "tracer/build_id.hpp"
#include "tracer/standard_input.hpp"

namespace coopcheck::cmd {

namespace {

/// A search that is killed loses no more than this, and saving takes no more than a small part of the time.
constexpr std::chrono::seconds shortest_interval{20};
constexpr int part_of_time = 50;

std::string input_text(const std::optional<std::string>& input) {
    if (!input) return "";
    const TraceInput described = describe_input(*input);
    return std::to_string(described.bytes) + " bytes, " + described.hash;
}

/// Nothing if there is no such file.
std::optional<SavedSearch> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    try {
        return read_search(text);
    } catch (const Error& error) {
        throw Error("Cannot go on with the search in '" + path + "'. " + error.what() +
                    " Remove the file to begin anew.");
    }
}

std::string tree_options(const ExploreOptions& options) {
    std::ostringstream text;
    // What is left of the one means something else to the other.
    const char* strategy = options.strategy.name == StrategyName::Source    ? " --strategy source"
                           : options.strategy.name == StrategyName::Optimal ? " --strategy optimal"
                           : options.strategy.name == StrategyName::Classes ? " --strategy classes"
                                                                            : "";
    text << (options.unbounded ? "--unbounded" : "bounded") << strategy
         << (options.traced.model.explore_timeouts ? " --timeouts explore" : "") << " --spurious "
         << options.traced.model.spurious_wakeups << " --thread-steps " << options.search.thread_step_limit
         << " --spins " << options.search.spin_limit
         << (options.search.output_matters ? " with an oracle for the output" : "")
         << (options.races.search_watches() == Watching::FirstTouch ? " --footprint pages"
             : options.search.footprints == FootprintSource::Data   ? " --footprint data"
                                                                    : "")
         << (options.races.races == RaceSampling::Off ? " --races off" : "")
         << (options.races.points == Points::Sync        ? " --points sync"
             : options.races.points == Points::AllShared ? " --points all-shared"
                                                         : "");
    return text.str();
}

std::string identity(const tracer::TracedExecution& execution) {
    const std::string& path = execution.program_path();
    const std::string id = tracer::build_id(path);
    if (!id.empty()) return "build id " + id;
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return "bytes " + describe_input(bytes).hash;
}

}  // namespace

ResumeFile::ResumeFile(const ExploreOptions& options, const tracer::LaunchOptions& launch,
                       tracer::TracedExecution& execution)
    : path_(options.resume_file), execution_(execution), due_(Clock::now() + shortest_interval) {
    about_["the program"] = identity(execution);
    about_["its arguments"] = shell_words(launch.arguments);
    about_["the options"] = tree_options(options);
}

std::optional<SearchState> ResumeFile::load() {
    std::optional<SavedSearch> saved = read_file(path_);
    if (!saved) return std::nullopt;
    for (const auto& [what, value] : about_) {
        if (saved->about[what] != value) {
            throw Error("The search in '" + path_ + "' is another one: " + what + " (" + saved->about[what] +
                        ") is not the same here (" + value + "). Remove the file to begin anew.");
        }
    }
    execution_.know(saved->knowledge);
    watch_state_ = saved->watch;
    return std::move(saved->state);
}

bool ResumeFile::is_due() { return Clock::now() >= due_; }

void ResumeFile::keep(const SearchState& state) {
    const Clock::time_point start = Clock::now();
    SavedSearch search{about_, execution_.knowledge(), state,
                       watch_ != nullptr ? watch_->state() : WatchState{}};
    search.about["its input"] = input_text(execution_.input_read());
    // Written beside and renamed, so that whoever is killed here leaves the old one.
    const std::string beside = path_ + ".new";
    std::ofstream file(beside, std::ios::binary);
    file << write_search(search);
    file.close();
    if (!file || std::rename(beside.c_str(), path_.c_str()) != 0) {
        static_cast<void>(std::remove(beside.c_str()));
        throw Error("Cannot write the search to '" + path_ + "'.");
    }
    const Clock::time_point end = Clock::now();
    due_ = end + std::max<Clock::duration>(shortest_interval, (end - start) * part_of_time);
}

void ResumeFile::remove() const { static_cast<void>(std::remove(path_.c_str())); }

std::optional<std::string> input_to_resume(const std::string& path) {
    std::optional<SavedSearch> saved = read_file(path);
    if (!saved || saved->about["its input"].empty()) return std::nullopt;
    std::string input = tracer::read_standard_input();
    if (input_text(input) != saved->about["its input"]) {
        throw Error("The search in '" + path +
                    "' was made with another input; give the program the same again.");
    }
    return input;
}

}  // namespace coopcheck::cmd
