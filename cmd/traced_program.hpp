#pragma once

#include <string>
#include <vector>

#include "core/retrace.hpp"
#include "core/trace.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// How to start what the user named: a program and its arguments.
[[nodiscard]] tracer::LaunchOptions launch_options(const std::vector<std::string>& command);

/// What a trace says about the program that runs here.
[[nodiscard]] TraceProgram describe_program(const tracer::TracedExecution& execution,
                                            const tracer::LaunchOptions& launch);

/// What a traced program knows about its own places and objects. Refers to the execution.
[[nodiscard]] TraceWords words_of(tracer::TracedExecution& execution);

/// How to start the program of a trace, or the one given instead of it. Throws Error if it is not here any
/// more, or needs its input again.
[[nodiscard]] tracer::LaunchOptions launch_along(const Trace& trace, const std::vector<std::string>& command);

}  // namespace coopcheck::cmd
