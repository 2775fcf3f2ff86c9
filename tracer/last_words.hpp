#pragma once

#include <string>

/// What a program's standard error tells about its end.
namespace coopcheck::tracer {

/// What was written last, without what came long before.
[[nodiscard]] std::string last_words(const std::string& standard_error);

/// The line in which AddressSanitizer or UndefinedBehaviorSanitizer sums up what it found; empty if there is
/// none.
[[nodiscard]] std::string sanitizer_report(const std::string& standard_error);

}  // namespace coopcheck::tracer
