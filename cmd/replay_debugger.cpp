#include "cmd/replay_debugger.hpp"

#include <iostream>

#include "core/error.hpp"
#include "core/log.hpp"
#include "tracer/handover.hpp"

namespace coopcheck::cmd {

namespace {

std::string debugger() {
    if (const auto found = tracer::find_debugger()) return *found;
    throw Error("There is no gdb here; install the package gdb.");
}

}  // namespace

void require_debugger() { static_cast<void>(debugger()); }

void debug(tracer::TracedExecution& execution, DebuggerWishes wishes) {
    if (const PlacePtr end = execution.here(); execution.parked().empty() && end->depth() > 0) {
        wishes.thread = end->last().thread;
        execution.revisit(end->parent());
    }
    // What we have said stands above what gdb says.
    std::cout << std::flush;
    tracer::Handover handover(execution);
    for (const std::string& difference : handover.program().differences) log::warning(difference);
    handover.run_debugger({.debugger = debugger(),
                           .program = wishes.program,
                           .arguments = wishes.arguments,
                           .thread = wishes.thread});
}

}  // namespace coopcheck::cmd
