// How many schedules of real programs are run in a second, and where the time goes.
#include <sys/resource.h>

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/bench/measure.hpp"
#include "tracer/traced_execution.hpp"

namespace {

using namespace coopcheck;
using namespace coopcheck::bench;

/// Processor time, which does not depend on what else the machine does.
struct Usage {
    double own_code_s = 0;
    double own_system_calls_s = 0;
    /// The target's instructions and what the kernel does on its behalf: stopping, copying, ending it.
    /// Counted when a process has been reaped.
    double target_s = 0;

    [[nodiscard]] double total_s() const { return own_code_s + own_system_calls_s + target_s; }
};

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

Usage usage() {
    rusage own{};
    rusage children{};
    ::getrusage(RUSAGE_SELF, &own);
    ::getrusage(RUSAGE_CHILDREN, &children);
    return {seconds(own.ru_utime), seconds(own.ru_stime),
            seconds(children.ru_utime) + seconds(children.ru_stime)};
}

struct Subject {
    const char* title;
    std::string program;
    std::vector<std::string> arguments;
    std::size_t most_schedules = std::numeric_limits<std::size_t>::max();
};

void measure(const Subject& subject) {
    const Usage before = usage();
    const double start_us = now_us();
    SearchResult result;
    tracer::TracedExecution::Counts counts;
    {
        tracer::TracedExecution execution(
            {.program = subject.program, .arguments = subject.arguments, .input = ""}, {});
        SearchOptions options;
        options.budget.schedules = subject.most_schedules;
        result = explore(execution, options);
        counts = execution.counts();
    }
    const double elapsed_s = (now_us() - start_us) / 1e6;
    const Usage after = usage();
    const Usage used{after.own_code_s - before.own_code_s,
                     after.own_system_calls_s - before.own_system_calls_s, after.target_s - before.target_s};
    const auto schedules = static_cast<double>(result.counts.paths());
    std::printf("%s\n", subject.title);
    std::printf("  %.0f schedules, %.0f in a second, %.0f in a second of processor time\n", schedules,
                schedules / elapsed_s, schedules / used.total_s());
    std::printf("  for each: %.1f steps, %.1f replayed ones, %.2f checkpoints, %.0f us of processor time\n",
                static_cast<double>(counts.steps) / schedules,
                static_cast<double>(counts.replayed_steps) / schedules,
                static_cast<double>(counts.checkpoints) / schedules, used.total_s() / schedules * 1e6);
    const double own_percent = used.own_code_s / used.total_s() * 100;
    std::printf("  target %.0f %%, system calls %.0f %%, own code %.0f %%, limit 25 %%: %s\n",
                used.target_s / used.total_s() * 100, used.own_system_calls_s / used.total_s() * 100,
                own_percent, verdict(own_percent, 25));
}

}  // namespace

int main() {
    measure(
        {"two threads with 5 lock/unlock pairs each", COOPCHECK_TARGETS_FOLDER "/lock_rounds", {"2", "5"}});
    measure({"four philosophers", COOPCHECK_CORPUS_FOLDER "/philosophers_fixed", {"4"}});
    measure({"4 threads with 20 synchronized regions each, the first 2000 schedules",
             COOPCHECK_TARGETS_FOLDER "/lock_rounds",
             {"4", "20"},
             2000});
    return 0;
}
