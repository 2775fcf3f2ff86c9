#include "tracer/free_runs.hpp"

#include "tracer/child_signal.hpp"
#include "tracer/cpu_pin.hpp"
#include "tracer/free_run.hpp"
#include "tracer/native_end.hpp"
#include "tracer/standard_input.hpp"
#include "tracer/standard_streams.hpp"

namespace coopcheck::tracer {

FreeRuns::FreeRuns(const LaunchOptions& launch, FreeOptions options) : session_(launch) {
    session_.options = std::move(options);
    session_.input = input_of_free_runs(launch);
    session_.cpus = allowed_cpus();
}

std::string FreeRuns::function_of(std::uint64_t site) const {
    const auto found = session_.functions.find(site);
    return found == session_.functions.end() ? "" : found->second;
}

FreeOutcome FreeRuns::run(const DecideNoise& decide) {
    // Blocked before the threads of the streams exist, so that they do not take it.
    const ChildSignal child_signal;
    StandardStreams streams(session_.input);
    const FreeSurroundings surroundings{streams.child_files(), session_.cpus, child_signal.mask_before()};
    FreeOutcome outcome;
    std::optional<WaitStatus> status;
    {
        FreeRun run(session_, session_.launcher.launch_free(surroundings), child_signal, decide);
        streams.close_child_files();
        status = run.to_end(outcome);
    }
    StandardStreams::Output output = streams.collect();
    if (status) outcome.end = end_of_native_run(*status, output.standard_error);
    outcome.standard_output = std::move(output.standard_output);
    outcome.standard_error = std::move(output.standard_error);
    outcome.output_cut = output.cut;
    return outcome;
}

}  // namespace coopcheck::tracer
