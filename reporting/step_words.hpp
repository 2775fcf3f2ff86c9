#pragma once

#include <map>
#include <string>

#include "core/trace.hpp"

namespace coopcheck {

// Steps and operations in the words of people: objects by the names of the source.

/// What the source calls the object, or its name by origin.
[[nodiscard]] std::string label_of(const Trace& trace, const std::string& object);

/// The same with labels instead of names.
[[nodiscard]] TraceOperation labelled(const Trace& trace, TraceOperation operation);
[[nodiscard]] TraceStep labelled(const Trace& trace, TraceStep step);
[[nodiscard]] TraceWait labelled(const Trace& trace, TraceWait wait);
[[nodiscard]] TraceAccess labelled(const Trace& trace, TraceAccess access);
[[nodiscard]] TraceFinding labelled(const Trace& trace, TraceFinding finding);

/// "lock a.mutex", without thread and place.
[[nodiscard]] std::string short_words(const Trace& trace, const TraceOperation& operation);
/// And what came of it: "trylock a.mutex = busy".
[[nodiscard]] std::string short_words(const Trace& trace, const TraceStep& step);

/// " = Device or resource busy", or nothing for a call that succeeded.
[[nodiscard]] std::string result_words(const TraceStep& step);

/// Where it is in the program's own source: "function file:line"; empty if it is in a library.
[[nodiscard]] std::string own_source(const TraceStep& step);
/// "file:line" of "function file:line".
[[nodiscard]] std::string place_words(const std::string& source);
/// "function" of the same.
[[nodiscard]] std::string function_words(const std::string& source);

[[nodiscard]] const TracePlace* find_place(const Trace& trace, const std::string& source);

/// The function each thread began with, as far as known.
[[nodiscard]] std::map<std::string, std::string> thread_functions(const Trace& trace);

}  // namespace coopcheck
