#pragma once

#include <string>

#include "core/trace.hpp"
#include "reporting/text_style.hpp"

namespace coopcheck {

// Races in the words of people. All texts are safe to print. Names are taken as they are: give what is
// labelled().

/// "x between T0.1 and T0.2"
[[nodiscard]] std::string race_in_short(const TraceRace& race);

/// "writes 4 bytes (0x0 -> 0x1)"
[[nodiscard]] std::string access_words(const TraceAccess& access);

/// "with no lock", "holding a and b"
[[nodiscard]] std::string lock_words(const TraceAccess& access);

/// "8 bytes into the 24 bytes that T0 allocated at make list.c:12"
[[nodiscard]] std::string allocation_words(const TraceAllocation& allocation);

/// Both accesses with their lines, instructions, locks and calls, and what they are about; of the trace's
/// race.
[[nodiscard]] std::string race_report(const Trace& trace, const Paint& paint);

}  // namespace coopcheck
