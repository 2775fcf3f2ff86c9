#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// The regular files that a process has open, by descriptor, with the offsets they stand at. Not 0, 1 and 2,
/// which are answered by us.
[[nodiscard]] std::vector<std::pair<int, std::int64_t>> read_file_offsets(ProcessId process);

}  // namespace coopcheck::tracer
