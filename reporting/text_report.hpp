#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/finding.hpp"

namespace coopcheck {

/// A step of a finding's schedule, for people.
struct ReportStep {
    ThreadId thread;
    Operation operation;
    Variant variant;
    int result = 0;
    /// The thread that ran before could have gone on.
    bool preempting = false;
};

/// Runs the schedule again and says what it did. The execution stands at its end afterwards.
[[nodiscard]] std::vector<ReportStep> retrace(Execution& execution, const Schedule& schedule);

/// "function file:line" of a place in the program; empty if not known.
using SourceNames = std::function<std::string(std::uint64_t)>;

/// What happened, step by step, and what was wrong at the end.
[[nodiscard]] std::string report_finding(const Finding& finding, const std::vector<ReportStep>& steps,
                                         const Names& names, const SourceNames& source);

/// Every line with four spaces before it.
[[nodiscard]] std::string indent(const std::string& text);

}  // namespace coopcheck
