#pragma once

#include <string>
#include <string_view>

namespace coopcheck::tracer {

/// A demangled function name as people say it: without parameters, return type, anonymous namespaces and long
/// template arguments. "Queue<int>::push", "main::{lambda#1}".
[[nodiscard]] std::string short_name(std::string_view demangled);

}  // namespace coopcheck::tracer
