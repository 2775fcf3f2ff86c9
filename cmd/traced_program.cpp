#include "cmd/traced_program.hpp"

#include "tracer/build_id.hpp"

namespace coopcheck::cmd {

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
        .is_runtime = [&execution](ObjectId object) { return execution.is_runtime_object(object); },
    };
}

}  // namespace coopcheck::cmd
