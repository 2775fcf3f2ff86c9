#pragma once

#include <string>

#include "core/retrace.hpp"
#include "core/trace.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// What a trace says about the program that runs here.
[[nodiscard]] TraceProgram describe_program(const tracer::TracedExecution& execution,
                                            const tracer::LaunchOptions& launch);

/// What a traced program knows about its own places and objects. Refers to the execution.
[[nodiscard]] TraceWords words_of(tracer::TracedExecution& execution);

}  // namespace coopcheck::cmd
