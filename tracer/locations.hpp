#pragma once

#include <optional>
#include <string>

#include "core/names.hpp"
#include "tracer/run_state.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A name for a byte of memory from which it can be found again in another search of the same program: a
/// global variable by symbol and offset; main's stack by the distance from its start; memory from the kernel
/// by the thread that asked for it; otherwise the address.
[[nodiscard]] std::string name_of_byte(RemoteAddress address, const RunState& state,
                                       const ThreadNames& names);

/// The byte with this name; nothing if the program has none. A thread in it gets its id now if it has none.
[[nodiscard]] std::optional<RemoteAddress> byte_named(const std::string& name, const RunState& state,
                                                      ThreadNames& names);

}  // namespace coopcheck::tracer
