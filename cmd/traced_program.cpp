#include "cmd/traced_program.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "tracer/build_id.hpp"

namespace coopcheck::cmd {

tracer::LaunchOptions launch_options(const std::vector<std::string>& command) {
    tracer::LaunchOptions launch;
    launch.program = command.front();
    launch.arguments.assign(command.begin() + 1, command.end());
    return launch;
}

TraceProgram describe_program(const tracer::TracedExecution& execution, const tracer::LaunchOptions& launch) {
    TraceProgram program;
    program.path = launch.program;
    program.absolute_path = execution.program_path();
    program.arguments = launch.arguments;
    program.build_id = tracer::build_id(program.absolute_path);
    if (execution.input_read()) program.input = describe_input(*execution.input_read());
    return program;
}

TraceWords words_of(tracer::TracedExecution& execution) {
    return {
        .source = [&execution](std::uint64_t site) { return execution.describe_site(site); },
        .location = [&execution](Location location) { return execution.describe_location(location); },
        .is_runtime = [&execution](ObjectId object) { return execution.is_runtime_object(object); },
        .label = [&execution](ObjectId object) { return execution.label(object); },
        .stack = [&execution](ThreadId thread) { return execution.stack(thread); },
        .calls_at = [&execution](std::uint64_t frame) { return execution.calls_at(frame); },
        .memory_label = [&execution](Location location,
                                     ThreadId thread) { return execution.memory_label(location, thread); },
        .instruction = [&execution](ThreadId thread) { return execution.instruction(thread); },
        .instruction_at = [&execution](std::uint64_t address) { return execution.instruction_at(address); },
        .value = [&execution](Location location,
                              std::uint32_t size) { return execution.value(location, size); },
        .allocation = [&execution](Location location) { return execution.allocation(location); },
    };
}

namespace {

/// The program where the trace says it was, as seen from here or by its absolute path; of two, the one that
/// is still the same.
std::string find_program(const TraceProgram& recorded) {
    std::error_code error;
    const bool is_name = recorded.path.find('/') == std::string::npos;
    const bool here = is_name || std::filesystem::exists(recorded.path, error);
    const bool there = std::filesystem::exists(recorded.absolute_path, error);
    if (!here && !there) {
        throw Error("The program of the trace, " + printable(recorded.path) +
                    ", is not here any more; name it after --.");
    }
    if (is_name && there) return recorded.absolute_path;
    const bool only_there_the_same = here && there && !recorded.build_id.empty() &&
                                     tracer::build_id(recorded.path) != recorded.build_id &&
                                     tracer::build_id(recorded.absolute_path) == recorded.build_id;
    return here && !only_there_the_same ? recorded.path : recorded.absolute_path;
}

/// Input that was too large for the trace has to come from our own stdin again.
std::string input_of(const TraceInput& recorded) {
    if (recorded.text) return *recorded.text;
    std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    if (describe_input(text).hash != recorded.hash) {
        throw Error("The program of the trace read " + std::to_string(recorded.bytes) +
                    " bytes of input, which are too many for the trace; give it the same input again.");
    }
    return text;
}

}  // namespace

tracer::LaunchOptions launch_along(const Trace& trace, const std::vector<std::string>& command) {
    tracer::LaunchOptions launch;
    if (command.empty()) {
        launch.program = find_program(trace.program);
        launch.arguments = trace.program.arguments;
    } else {
        launch = launch_options(command);
    }
    if (trace.program.input) launch.input = input_of(*trace.program.input);
    return launch;
}

}  // namespace coopcheck::cmd
