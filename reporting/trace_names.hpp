#pragma once

#include <optional>
#include <string_view>

#include "core/finding.hpp"
#include "core/misuse.hpp"
#include "core/operation.hpp"
#include "core/switch.hpp"
#include "core/variant.hpp"

namespace coopcheck {

// The words of the trace file for our enumerations. They are part of the format (docs/trace-format.md): a
// word is never changed or used again, whatever the enumerators and the words for people are called.

[[nodiscard]] std::string_view file_name(OpKind kind);
[[nodiscard]] std::string_view file_name(FindingKind kind);
[[nodiscard]] std::string_view file_name(Misuse misuse);
[[nodiscard]] std::string_view file_name(Variant::Kind kind);
[[nodiscard]] std::string_view file_name(SwitchKind kind);

/// The other way round; nothing for a word that is none of them.
template <typename Enumeration>
[[nodiscard]] std::optional<Enumeration> from_file_name(std::string_view word);
template <>
std::optional<OpKind> from_file_name(std::string_view word);
template <>
std::optional<FindingKind> from_file_name(std::string_view word);
template <>
std::optional<Misuse> from_file_name(std::string_view word);
template <>
std::optional<Variant::Kind> from_file_name(std::string_view word);
template <>
std::optional<SwitchKind> from_file_name(std::string_view word);

}  // namespace coopcheck
