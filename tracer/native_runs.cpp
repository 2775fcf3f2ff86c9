#include "tracer/native_runs.hpp"

#include <algorithm>
#include <csignal>

#include "core/error.hpp"
#include "tracer/keeper.hpp"
#include "tracer/native_end.hpp"
#include "tracer/standard_input.hpp"
#include "tracer/standard_streams.hpp"

namespace coopcheck::tracer {

namespace {

FreeSurroundings surroundings_of(const StandardStreams& streams, const cpu_set_t& cpus) {
    FreeSurroundings surroundings{.files = streams.child_files(), .cpus = cpus, .signal_mask = {}};
    ::pthread_sigmask(SIG_SETMASK, nullptr, &surroundings.signal_mask);
    return surroundings;
}

/// Until the end, the time limit or an interruption.
std::optional<WaitStatus> wait(Keeper& keeper, const NativeOptions& options, FreeOutcome::Stop& stop) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point limit = Clock::now() + options.time_limit;
    for (;;) {
        constexpr std::chrono::milliseconds look_again{100};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now());
        const auto status = keeper.wait(static_cast<int>(std::clamp(left, {}, look_again).count()));
        if (status) return status;
        if (options.interruption && options.interruption()) {
            stop = FreeOutcome::Stop::Interrupted;
            return std::nullopt;
        }
        if (Clock::now() >= limit) {
            stop = FreeOutcome::Stop::TimeLimit;
            return std::nullopt;
        }
    }
}

}  // namespace

NativeRuns::NativeRuns(const LaunchOptions& launch, NativeOptions options)
    : launcher_(launch),
      options_(std::move(options)),
      input_(input_of_free_runs(launch)),
      cpus_(allowed_cpus()) {}

FreeOutcome NativeRuns::run() {
    StandardStreams streams(input_);
    FailurePipe pipe;
    const FreeSurroundings surroundings = surroundings_of(streams, cpus_);
    FreeOutcome outcome;
    std::optional<WaitStatus> status;
    {
        Keeper keeper([&] { return launcher_.run_free_child(pipe.child_end(), surroundings, false); });
        streams.close_child_files();
        pipe.close_child_end();
        status = wait(keeper, options_, outcome.stop);
    }
    // The keeper has ended, and with it all copies of the child's end.
    if (const auto failure = pipe.read()) launcher_.explain(*failure);
    StandardStreams::Output output = streams.collect();
    if (status) outcome.end = end_of_native_run(*status, output.standard_error);
    outcome.standard_output = std::move(output.standard_output);
    outcome.standard_error = std::move(output.standard_error);
    outcome.output_cut = output.cut;
    return outcome;
}

}  // namespace coopcheck::tracer
