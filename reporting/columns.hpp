#pragma once

#include <string>

#include "core/trace.hpp"
#include "reporting/text_style.hpp"

namespace coopcheck {

/// The interleaving: a column for each thread, a line for each step that matters (or each step at all, as the
/// style says), preemptions marked with *, the decisive step with !. Where the terminal is too narrow for the
/// columns, a list.
[[nodiscard]] std::string interleaving(const Trace& trace, const TextStyle& style);

/// How many columns of a terminal a text takes: the number of its characters in UTF-8.
[[nodiscard]] std::size_t display_width(const std::string& text);

}  // namespace coopcheck
