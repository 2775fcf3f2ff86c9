#pragma once

#include <cstdint>
#include <optional>

namespace coopcheck::tracer {

/// How many bytes of memory programs can still get without swapping, as the kernel estimates it
/// (MemAvailable); nothing if it does not tell. A limit of the control group is not looked at. Some 20 us.
[[nodiscard]] std::optional<std::uint64_t> available_memory();

}  // namespace coopcheck::tracer
