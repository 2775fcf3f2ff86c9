#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.hpp"

namespace coopcheck {

/// A finding of a search, and where its trace is.
struct ReportedFinding {
    Trace trace;
    /// The path of the trace file; empty if there is none.
    std::string file;
    std::string replay_command;
};

/// How far a search had come after some time.
struct ProgressSample {
    double seconds = 0;
    std::size_t schedules = 0;
    /// Preemptions of the schedules it was at.
    unsigned bound = 0;
};

/// Knuth's estimate of the number of schedules with at most so many preemptions, before pruning.
struct BoundEstimate {
    unsigned bound = 0;
    double log10_schedules = 0;
    double relative_error = 0;
    std::size_t walks = 0;
};

/// One thing that could be covered: a function was interrupted (by which other, if `by` is not empty), or ran
/// without being interrupted.
struct CoverageTask {
    std::string function;
    std::string by;
    bool interrupted = true;
    bool covered = false;
};

/// Everything that one search of one program came to: what reports for machines and the page are made of. A
/// plain value.
struct RunSummary {
    std::string tool;
    /// What the program is called in a list of several: a test case, or the program's file.
    std::string name;
    TraceProgram program;
    std::string strategy;
    std::vector<ReportedFinding> findings;
    std::vector<std::string> claims;
    /// What the claims rest on; empty if something was found.
    std::vector<std::string> conditions;
    bool complete = false;
    bool interrupted = false;
    /// Why nothing could be explored; empty if it could.
    std::string error;
    int exit_code = 0;
    double seconds = 0;
    /// By name, in words of JSON: "complete", "deadlocked" ...
    std::map<std::string, std::size_t> counts;
    std::vector<std::size_t> paths_at_bound;
    std::vector<ProgressSample> progress;
    std::vector<BoundEstimate> estimates;
    std::vector<CoverageTask> coverage;
};

}  // namespace coopcheck
