#pragma once

#include "core/trace.hpp"

namespace coopcheck::cmd {

/// Copies the lines around the places of a trace from the source files, as far as these are there: where the
/// debug information says, or at the same place below the current folder.
void add_source_text(Trace& trace);

}  // namespace coopcheck::cmd
