#pragma once

#include <string>
#include <vector>

#include "core/run_summary.hpp"
#include "explorer/storage.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// What was learnt of the program's memory, a row for each variable, member or range of bytes that is used in
/// one way. Restarts the execution.
[[nodiscard]] std::vector<StorageRow> storage_rows(tracer::TracedExecution& execution,
                                                   const Storage& storage);

/// The same as a table for people; `watched` is the number of schedules it was learnt in.
[[nodiscard]] std::string storage_table(const std::vector<StorageRow>& rows, std::size_t watched);

}  // namespace coopcheck::cmd
