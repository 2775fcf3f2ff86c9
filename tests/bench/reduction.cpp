// What telling classes of schedules apart costs, all of them and those within a bound: the share of the time
// that is not spent in the program and in controlling it, and the memory that the search takes for schedules
// of different lengths.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/bench/measure.hpp"
#include "tracer/traced_execution.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::bench;

/// An execution that takes the time of what another one does.
class TimedExecution : public Execution {
  private:
    template <typename Function>
    auto timed(Function function) {
        struct Stopwatch {
            double& sum;
            double start = now_us();
            ~Stopwatch() { sum += now_us() - start; }
        };
        const Stopwatch stopwatch{spent_us_};
        return function();
    }

  public:
    explicit TimedExecution(Execution& timed) : timed_(timed) {}

    void restart() override {
        timed([&] { timed_.restart(); });
    }
    [[nodiscard]] std::span<const ParkedThread> parked() const override { return timed_.parked(); }
    [[nodiscard]] const SyncModel& model() const override { return timed_.model(); }
    StepResult step(ThreadId thread, Variant variant) override {
        return timed([&] { return timed_.step(thread, variant); });
    }
    [[nodiscard]] PlacePtr here() override {
        return timed([&] { return timed_.here(); });
    }
    void revisit(const PlacePtr& place) override {
        timed([&] { timed_.revisit(place); });
    }
    void set_visible(std::span<const Location> locations) override { timed_.set_visible(locations); }
    [[nodiscard]] bool can_watch() const override { return timed_.can_watch(); }
    [[nodiscard]] const Names& names() const override { return timed_.names(); }
    void know(const Knowledge& knowledge) override { timed_.know(knowledge); }

    [[nodiscard]] double spent_us() const { return spent_us_; }

  private:
    Execution& timed_;
    double spent_us_ = 0;
};

/// The most memory on the heap at the ends of schedules, beyond what there was before the search.
class Memory : public SearchListener {
  public:
    Memory() : before_(in_use()) {}
    void path(const PathReport& report) override {
        most_ = std::max(most_, in_use() - std::min(before_, in_use()));
        longest_ = std::max(longest_, report.steps.size());
    }
    [[nodiscard]] std::size_t most() const { return most_; }
    [[nodiscard]] std::size_t longest() const { return longest_; }

  private:
    static std::size_t in_use() { return ::mallinfo2().uordblks; }
    std::size_t before_;
    std::size_t most_ = 0;
    std::size_t longest_ = 0;
};

struct Kind {
    const char* title;
    Reduction reduction;
    std::optional<unsigned> bound;

    [[nodiscard]] SearchOptions options(std::size_t most_schedules) const {
        SearchOptions options;
        options.reduction = reduction;
        options.bound = bound;
        options.budget.schedules = most_schedules;
        return options;
    }
};

constexpr std::array<Kind, 5> kinds{{
    {"source", Reduction::Source, std::nullopt},
    {"optimal", Reduction::Optimal, std::nullopt},
    {"bound 1", Reduction::Source, 1},
    {"bound 2", Reduction::Source, 2},
    {"bound 3", Reduction::Source, 3},
}};

struct Subject {
    const char* title;
    std::string program;
    std::vector<std::string> arguments;
};

tracer::LaunchOptions launch(const Subject& subject) {
    return {.program = subject.program, .arguments = subject.arguments, .input = ""};
}

void measure_time(const Subject& subject, const Kind& kind) {
    tracer::TracedExecution execution(launch(subject), {});
    TimedExecution timed(execution);
    const double start_us = now_us();
    const SearchResult result = explore(timed, kind.options(2000));
    const double total_us = now_us() - start_us;
    const double percent = (total_us - timed.spent_us()) / total_us * 100;
    std::printf("  %-45s %-8s %5zu schedules, %6.0f us each, bookkeeping %4.1f %%, limit 20 %%: %s\n",
                subject.title, kind.title, result.counts.paths(),
                total_us / static_cast<double>(result.counts.paths()), percent, verdict(percent, 20));
}

/// Twice as long schedules should take twice the memory, not more; within a bound there are the branches that
/// wait for the next one, too.
void measure_memory(const char* rounds, const Kind& kind) {
    const Subject subject{"", COOPCHECK_TARGETS_FOLDER "/lock_rounds", {"3", rounds}};
    tracer::TracedExecution execution(launch(subject), {});
    Memory memory;
    const SearchResult result = explore(execution, kind.options(300), &memory);
    std::printf(
        "  3 threads with %2s sections each: %3zu schedules of %3zu steps, %6zu kB, %5.0f bytes for a step\n",
        rounds, result.counts.paths(), memory.longest(), memory.most() / 1024,
        static_cast<double>(memory.most()) / static_cast<double>(memory.longest()));
}

void measure_all() {
    const std::vector<Subject> subjects{
        {"two threads with 5 lock/unlock pairs each", COOPCHECK_TARGETS_FOLDER "/lock_rounds", {"2", "5"}},
        {"3 threads with 10 lock/unlock pairs each", COOPCHECK_TARGETS_FOLDER "/lock_rounds", {"3", "10"}},
        {"8 philosophers", COOPCHECK_CORPUS_FOLDER "/philosophers_fixed", {"8"}},
        {"two stages", COOPCHECK_CORPUS_FOLDER "/cooperari/two_stage_fixed", {"4"}},
        {"a buffer with conditions", COOPCHECK_CORPUS_FOLDER "/chess/bounded_buffer_fixed", {"1", "2"}},
        {"4 threads with 20 regions each", COOPCHECK_TARGETS_FOLDER "/lock_rounds", {"4", "20"}},
    };
    for (const Subject& subject : subjects) {
        for (const Kind& kind : kinds) measure_time(subject, kind);
    }
    for (const Kind& kind : kinds) {
        std::printf("memory of the search by classes, %s\n", kind.title);
        for (const char* rounds : {"5", "10", "20", "40"}) measure_memory(rounds, kind);
    }
}

}  // namespace

int main() {
    try {
        measure_all();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
