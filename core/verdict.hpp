#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/execution.hpp"
#include "core/finding.hpp"

namespace coopcheck {

/// What is wrong with a run that came to its end by itself.
struct Verdict {
    FindingKind kind = FindingKind::BadExit;
    std::string message;
};

/// Judges a complete run; nothing if it was good. The execution stands at its end.
using Judge = std::function<std::optional<Verdict>(const RunEnd&, const Execution&)>;

}  // namespace coopcheck
